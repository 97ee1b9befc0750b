import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createMcpAccess } from './access.ts';

const url = 'http://control.test:8080';

/** A control server that knows these tokens; none for one that asks for none. */
const controlWith =
  (tokens: Set<string>): typeof fetch =>
  async (_input, init) => {
    const token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length);
    const isKnown = token === undefined ? tokens.size === 0 : tokens.has(token);
    return new Response('{}', { status: isKnown ? 200 : 401 });
  };

function open(tokens: string[], accessToken?: string) {
  const known = new Set(tokens);
  const access = createMcpAccess({ controlUrl: url, accessToken, host: '127.0.0.1', fetch: controlWith(known) });
  const ask = async (headers: Record<string, string>, options?: { isOpen?: boolean }) =>
    access.admit({ headers } as unknown as IncomingMessage, options).then(
      ({ token }) => token ?? 'open',
      (error: { status: number }) => error.status,
    );
  return { ask, known, [Symbol.dispose]: () => access[Symbol.dispose]() };
}

test('where no token is asked for, only this machine is served, and no page', async () => {
  using mcp = open([]);
  const answers = [
    { host: 'localhost:8090' },
    { host: '[::1]:8090' },
    { host: 'localhost:8090', 'sec-fetch-site': 'none' },
    { host: '127.0.0.1:8090', origin: 'http://localhost:6274' },
    { host: 'localhost:8090', 'sec-fetch-site': 'cross-site' },
    { host: 'localhost:8090', origin: 'null' },
    { host: 'evil.example:8090' },
    {},
  ].map((headers) => mcp.ask(headers));
  expect(await Promise.all(answers)).toEqual(['open', 'open', 'open', 403, 403, 403, 403, 403]);
});

test('where the control server asks for a token, it is asked for here, and acts', async () => {
  using mcp = open(['lch_ann']);
  const host = 'localhost';
  expect(await mcp.ask({ host, authorization: 'Bearer lch_ann' })).toBe('lch_ann');
  expect(await mcp.ask({ host, 'x-lachesis-token': 'lch_ann' })).toBe('lch_ann');
  expect(await mcp.ask({ host, authorization: 'Bearer lch_bob' })).toBe(401);
  expect(await mcp.ask({ host })).toBe(401);
});

test('a token that has ended is seen while a request of it is open', async () => {
  using mcp = open(['lch_ann']);
  const headers = { host: 'localhost', authorization: 'Bearer lch_ann' };
  expect(await mcp.ask(headers)).toBe('lch_ann');
  mcp.known.clear();
  mcp.known.add('lch_bob');
  await new Promise((resolve) => setTimeout(resolve, 350));
  expect(await mcp.ask(headers, { isOpen: true })).toBe(401);
});

test('one token for all is asked of everybody, under whatever name', async () => {
  using mcp = open(['lch_ann'], 'sesame');
  const answers = [
    { host: 'lachesis.example', authorization: 'Bearer sesame' },
    { host: 'localhost', authorization: 'Bearer sesam' },
    { host: 'localhost', authorization: 'Bearer lch_ann' },
    { host: 'localhost' },
  ].map((headers) => mcp.ask(headers));
  expect(await Promise.all(answers)).toEqual(['open', 401, 401, 401]);
});

test('a control server that is away is no reason to let anybody in', async () => {
  const away = (() => Promise.reject(new Error('away'))) as typeof fetch;
  using access = createMcpAccess({ controlUrl: url, accessToken: undefined, host: '127.0.0.1', fetch: away });
  const request = { headers: { host: 'localhost' } } as unknown as IncomingMessage;
  await expect(access.admit(request)).rejects.toMatchObject({ status: 503 });
});
