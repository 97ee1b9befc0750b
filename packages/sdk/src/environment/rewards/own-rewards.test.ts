import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { abstained, failed, scored } from '../outcome.ts';
import { createHttpReward } from './create-http-reward.ts';
import { createRewardModel } from './create-reward-model.ts';
import { loadReward } from './load-reward.ts';

const MESSAGES = [{ role: 'user', content: 'Say hello.' }];
const asked: { url: string | undefined; authorization: string | undefined; body: unknown }[] = [];
let busy = 0;

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    asked.push({ url: request.url, authorization: request.headers.authorization, body: JSON.parse(text) });
    if (request.url === '/slow') return;
    if (request.url === '/busy' && (busy += 1) < 3) response.writeHead(503);
    else if (request.url === '/broken') response.writeHead(500);
    else if (request.url === '/refused') response.writeHead(400);
    const bodies: Record<string, string> = {
      '/words': 'very good',
      '/nothing': '{"reward": null}',
      '/unsure': '{"abstained": "no idea"}',
    };
    response.end(bodies[request.url ?? ''] ?? '{"reward": -1.5, "signals": {"length": 2}}');
  });
});
let url = '';
const patience = { sleep: async () => undefined };

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a reward model is asked with the whole conversation, and its number is the reward', async () => {
  asked.length = 0;
  const reward = createRewardModel({ url: `${url}/v1/`, apiKey: 'key', model: 'taste@2' });
  expect(await reward({ answer: 'hello', messages: MESSAGES })).toEqual(scored(-1.5, { length: 2 }));
  const messages = [...MESSAGES, { role: 'assistant', content: 'hello' }];
  expect(await reward({ answer: 'hello', messages, expected: 3 })).toEqual(scored(-1.5, { length: 2 }));
  expect(asked).toEqual([
    { url: '/v1/rewards', authorization: 'Bearer key', body: { model: 'taste@2', messages, reply: 'hello' } },
    {
      url: '/v1/rewards',
      authorization: 'Bearer key',
      body: { model: 'taste@2', messages, reply: 'hello', expected: 3 },
    },
  ]);
});

test.each(['/words', '/nothing', '/broken', '/refused'])(
  '%s is a failure of the verifier, never a number',
  async (path) => {
    const outcome = await createHttpReward({ url: `${url}${path}`, ...patience })({ answer: 'a', messages: MESSAGES });
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'verifier' });
  },
);

test('asks again while the server is busy, waits no longer than it may, and knows an abstention', async () => {
  const ask = (path: string, options: object = {}) =>
    createHttpReward({ url: `${url}${path}`, ...patience, ...options })({ answer: 'a', messages: MESSAGES });
  expect(await ask('/busy')).toMatchObject({ kind: 'scored', reward: -1.5 });
  expect(await ask('/slow', { timeoutMs: 30 })).toEqual(failed('verifier', `${url}/slow gave no reward within 30 ms`));
  expect(await ask('/unsure')).toEqual(abstained('no idea'));
  expect(
    await createHttpReward({ url: 'http://127.0.0.1:1/', ...patience })({ answer: 'a', messages: MESSAGES }),
  ).toMatchObject({ kind: 'failed', failure: 'verifier' });
  expect(await createHttpReward({ url })({ answer: 'a' })).toMatchObject({ kind: 'failed', failure: 'verifier' });
  expect(() => createHttpReward({ url: 'ftp://x' })).toThrow('http://');
});

const load = (exported: unknown, timeoutMs?: number) =>
  loadReward({ from: 'mine.ts', timeoutMs, importModule: async () => ({ default: exported }) });

test('a file grades with its default export: a number, parts, or an outcome', async () => {
  const input = { answer: 'abc' };
  expect(await (await load(({ answer }: { answer: string }) => answer.length))(input)).toEqual(scored(3));
  expect(await (await load(async () => ({ reward: 0.5, signals: { a: 1 } })))(input)).toEqual(scored(0.5, { a: 1 }));
  expect(await (await load(() => abstained('no')))(input)).toEqual(abstained('no'));
});

test('a file that throws, gives no number or takes too long fails as a verifier', async () => {
  const grades = [
    () => {
      throw new Error('oops');
    },
    () => 'good',
    () => Number.NaN,
    () => undefined,
    () => new Promise(() => undefined),
  ];
  for (const grade of grades) {
    expect(await (await load(grade, 20))({ answer: '' })).toMatchObject({ kind: 'failed', failure: 'verifier' });
  }
});

test('what cannot be a reward is refused before the first rollout', async () => {
  await expect(load({ reward: 1 })).rejects.toThrow('default export');
  await expect(loadReward({ from: 'no-such-file.ts' })).rejects.toThrow('cannot be imported');
  await expect(loadReward({ from: 'ftp://x' })).rejects.toThrow('http://');
  expect(await loadReward({ from: `${url}/` })).toBeTypeOf('function');
});
