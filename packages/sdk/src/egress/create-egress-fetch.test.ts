import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createEgressFetch } from './create-egress-fetch.ts';
import { createEgressRule } from './create-egress-rule.ts';

async function serve(listener: RequestListener): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, reply) => {
    seen.push(request);
    listener(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

test('asks where the name led when it was looked at, and resolves it once', async () => {
  const { port, seen } = await serve((_request, reply) => reply.end('hello'));
  let lookups = 0;
  const lookup = async () => [{ address: (lookups += 1) === 1 ? '127.0.0.1' : '10.255.255.1' }];
  const ask = createEgressFetch({ rule: createEgressRule({ allow: `pinned.example.com:${port}`, lookup }) });
  const reply = await ask(`http://pinned.example.com:${port}/x?y=1`, { headers: { authorization: 'Bearer k' } });
  expect([reply.status, await reply.text(), lookups]).toEqual([200, 'hello', 1]);
  expect(seen[0]?.headers).toMatchObject({ host: `pinned.example.com:${port}`, authorization: 'Bearer k' });
});

test('a redirect is looked at like a first address', async () => {
  const hidden = await serve((_request, reply) => reply.end('secret'));
  const { port } = await serve((request, reply) =>
    reply.writeHead(302, { location: `http://127.0.0.1:${hidden.port}${request.url ?? ''}` }).end(),
  );
  const ask = createEgressFetch({ rule: createEgressRule({ allow: `127.0.0.1:${port}` }) });
  await expect(ask(`http://127.0.0.1:${port}/a`)).rejects.toThrow('this machine');
  expect(hidden.seen).toHaveLength(0);
});

test('credentials and bodies stay with their origin', async () => {
  const other = await serve((_request, reply) => reply.end('other'));
  const { port } = await serve((request, reply) =>
    reply.writeHead(request.url === '/307' ? 307 : 302, { location: `http://127.0.0.1:${other.port}/` }).end(),
  );
  const allow = `127.0.0.1:${port},127.0.0.1:${other.port}`;
  const ask = createEgressFetch({ rule: createEgressRule({ allow }) });
  const headers = { authorization: 'Bearer k', 'x-api-key': 'k', cookie: 'k', accept: 'text/plain' };
  const reply = await ask(`http://127.0.0.1:${port}/302`, { method: 'POST', body: '{}', headers });
  expect(await reply.text()).toBe('other');
  expect(other.seen[0]?.method).toBe('GET');
  expect(other.seen[0]?.headers['accept']).toBe('text/plain');
  for (const name of ['authorization', 'x-api-key', 'cookie']) expect(other.seen[0]?.headers[name]).toBeUndefined();
  await expect(ask(`http://127.0.0.1:${port}/307`, { method: 'POST', body: '{}', headers })).rejects.toThrow(
    'another origin',
  );
});

test('a circle of redirects ends, and manual ones are told', async () => {
  const { port, seen } = await serve((_request, reply) => reply.writeHead(302, { location: '/again' }).end());
  const ask = createEgressFetch({ rule: createEgressRule({ allow: `127.0.0.1:${port}` }) });
  await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toThrow('more than 5');
  expect(seen).toHaveLength(6);
  expect((await ask(`http://127.0.0.1:${port}/`, { redirect: 'manual' })).status).toBe(302);
  await expect(ask(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort(new Error('ended')) })).rejects.toThrow(
    'ended',
  );
});
