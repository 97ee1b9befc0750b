import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { failed, scored } from '../outcome.ts';
import { createHttpStatusReward } from './create-http-status-reward.ts';

const server = createServer((request, response) => {
  if (request.url === '/slow') return;
  if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1:1/' });
  else response.writeHead(request.url === '/' ? 200 : 404);
  response.end('hello');
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('the status decides, and the body when it is asked for', async () => {
  const grade = (path: string, options: object = {}) =>
    createHttpStatusReward({ url: `${url}${path}`, ...options })({ answer: '' });
  expect(await grade('/')).toEqual(scored(1, { http_status: 200 }));
  expect(await grade('/missing')).toEqual(scored(0, { http_status: 404 }));
  expect(await grade('/missing', { status: [404, 410] })).toEqual(scored(1, { http_status: 404 }));
  expect(await grade('/', { bodyIncludes: 'hello' })).toEqual(scored(1, { http_status: 200 }));
  expect(await grade('/', { bodyIncludes: 'bye' })).toEqual(scored(0, { http_status: 200 }));
});

test('a redirect is a status and is not followed', async () => {
  expect(await createHttpStatusReward({ url: `${url}/away` })({ answer: '' })).toEqual(scored(0, { http_status: 302 }));
});

test('nobody answering is a failure, unless the rollout was to start the server', async () => {
  const address = 'http://127.0.0.1:1/';
  expect(await createHttpStatusReward({ url: address })({ answer: '' })).toMatchObject({ failure: 'infrastructure' });
  expect(await createHttpStatusReward({ url: address, whenUnreachable: 'wrong' })({ answer: '' })).toEqual(
    scored(0, { http_status: 0 }),
  );
});

test('an answer that does not come is a timeout', async () => {
  const reward = createHttpStatusReward({ url: () => `${url}/slow`, timeoutMs: 50 });
  expect(await reward({ answer: '' })).toEqual(failed('timeout', `${url}/slow gave no answer within 50 ms`));
  expect(await createHttpStatusReward({ url: 'file:///etc/passwd' })({ answer: '' })).toMatchObject({
    failure: 'verifier',
  });
});
