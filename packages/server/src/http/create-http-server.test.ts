import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Authenticator } from './access/authenticate.ts';
import { LOCAL_PRINCIPAL, type Principal } from './access/principal.ts';
import type { AuditedCall } from './audit/audit-sink.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { defineRoute } from './define-route.ts';
import { LARGE_BODY, type Route } from './route.ts';

const KIB = 1024;
const LIMIT = 2_000 * KIB;
const SMALL = 64 * KIB;

async function serve() {
  const calls: AuditedCall[] = [];
  const echo: Route = defineRoute({
    method: 'POST',
    path: '/echo',
    scope: 'env:push',
    perRun: true,
    summary: 'Say how long the body is.',
    reply: z.object({ run: z.string(), bytes: z.int() }),
    handle: async ({ request, runName, about }) => {
      about({ made: 'one' });
      if (runName === 'slow') await sleep(60);
      return { run: runName, bytes: request.body instanceof Uint8Array ? request.body.length : 0 };
    },
  });
  const large: Route = { ...echo, path: '/large', maxBodyBytes: LARGE_BODY };
  const root: Route = { ...echo, method: 'GET', path: '/', scope: 'public', handle: async () => ({}) };
  const app = createHttpServer({
    routes: [echo, large, root],
    authenticator: new Authenticator({
      directory: {
        find: async (token) => findPrincipal(token),
        count: async () => 0,
      },
    }),
    browserRules: { allowedHosts: new Set(['localhost']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    audit: { observe: (call) => void calls.push(call) },
    log: pino({ level: 'silent' }),
    maxBodyBytes: LIMIT,
    bodyBudgetBytes: 1_000 * KIB,
    arrivalRules: { bytesPerSecond: 1_024, windowMs: 1_000 },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = (text: string) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => socket.destroy());
    socket.write(text);
    return socket;
  };
  const post = async (bytes: number, { path = '/large', token }: { path?: string; token?: string } = {}) => {
    const socket = open(`${head(path, bytes, token)}connection: close\r\n\r\n${'x'.repeat(bytes)}`);
    return readStatus(socket);
  };
  return { open, post, app, calls, [Symbol.asyncDispose]: () => app.close() };
}

const viewer: Principal = { tenantId: 'a', scopes: ['view'], run: null, tokenId: 'one' };

/** `a1` is a token of tenant `a` that may push. */
function findPrincipal(token: string): Principal | null {
  if (token === 'viewer') return viewer;
  const [tenantId, isOne] = [token.slice(0, 1), /^[a-z]\d$/.test(token)];
  return isOne ? { ...viewer, tenantId, tokenId: token, scopes: ['env:push'] } : null;
}

const head = (path: string, bytes: number, token?: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n` +
  (token === undefined ? '' : `authorization: Bearer ${token}\r\n`);

const announce = (bytes: number, token?: string): string => `${head('/large', bytes, token)}\r\n`;

async function readStatus(socket: Socket): Promise<number> {
  let reply = '';
  for await (const part of socket) reply += String(part);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);
}

describe('room for bodies', () => {
  it('is not taken by what was announced and did not come', async () => {
    await using server = await serve();
    for (let index = 0; index < 20; index += 1) server.open(`${announce(LIMIT)}x`);
    for (let index = 0; index < 20; index += 1) {
      server.open('POST /large HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
    }
    await sleep(50);
    const began = performance.now();
    expect(await server.post(LIMIT)).toBe(200);
    expect(performance.now() - began).toBeLessThan(900);
  });

  it('is found by a small body and by another tenant while a token holds its share', async () => {
    await using server = await serve();
    const held = Array.from({ length: 4 }, () => server.open(announce(LIMIT, 'a1') + 'x'.repeat(400 * KIB)));
    await sleep(100);
    expect(await server.post(2, { token: 'a1' })).toBe(200);
    expect(await server.post(SMALL, { token: 'b1' })).toBe(200);
    expect(await server.post(200 * KIB, { token: 'b1' })).toBe(200);
    for (const socket of held) socket.destroy();
    expect(await server.post(LIMIT, { token: 'a1' })).toBe(200);
  });

  it('comes back from clients that leave while they send and while they wait', async () => {
    await using server = await serve();
    const left = Array.from({ length: 5 }, () => server.open(announce(LIMIT) + 'x'.repeat(900 * KIB)));
    await sleep(100);
    const waiting = server.post(LIMIT);
    for (const socket of left) socket.destroy();
    expect(await waiting).toBe(200);
  });

  it('is not taken by a body that is refused for its length', async () => {
    await using server = await serve();
    server.open(announce(LIMIT + 1));
    server.open(announce(10 ** 12));
    await sleep(50);
    expect(await server.post(900 * KIB)).toBe(200);
    expect(await server.post(LIMIT + 1)).toBe(413);
    const chunked = server.open(
      `POST /echo HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n20000\r\n${'x'.repeat(0x20000)}\r\n0\r\n\r\n`,
    );
    expect(await readStatus(chunked)).toBe(413);
  });

  it('is shared by all who fit, also those that need more than all of it', async () => {
    await using server = await serve();
    const sizes = [400, 400, 400, 2_000, 400, 2_000, 2_000].map((kilobytes) => kilobytes * KIB);
    expect(await Promise.all(sizes.map((bytes) => server.post(bytes)))).toEqual(sizes.map(() => 200));
  });

  it('ends for a sender that is slower than the least rate', async () => {
    await using server = await serve();
    const began = performance.now();
    const slow = server.open(`${announce(900)}x`);
    expect(await readStatus(slow)).toBe(408);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  it('is bounded by the route: a route that says nothing takes 64 KB', async () => {
    await using server = await serve();
    expect(await server.post(SMALL, { path: '/echo' })).toBe(200);
    expect(await server.post(SMALL + 1, { path: '/echo' })).toBe(413);
  });

  it('is not needed where anybody may ask, nor for what is not there', async () => {
    await using server = await serve();
    expect(await server.post(SMALL + 1, { path: '/nothing' })).toBe(404);
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['noise', 'noise\r\n\r\n', 400],
    ['bytes above 127 in the path', 'GET /\u00e9 HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
    ['a header without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
    ['two lengths', 'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
  ])('is refused with the end of its connection: %s', async (_, text, status) => {
    await using server = await serve();
    let reply = '';
    for await (const part of server.open(text)) reply += String(part);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reply).toMatch(/^connection: close/m);
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 'bad-request' } });
  });
});

describe('paths that are not there', () => {
  const ask = async (method: 'GET' | 'POST', url: string) => {
    await using server = await serve();
    const reply = await server.app.inject({ method, url, headers: { host: 'localhost' } });
    return { status: reply.statusCode, allow: reply.headers.allow, location: reply.headers.location };
  };

  it.each([
    ['GET', '/echo', { status: 405, allow: 'POST' }],
    ['GET', '/run/x/echo', { status: 405, allow: 'POST' }],
    ['POST', '/echo/', { status: 307, location: '/echo' }],
    ['POST', '/run/x/echo/?a=1', { status: 307, location: '/run/x/echo?a=1' }],
    ['POST', '//evil.example/', { status: 404 }],
    ['GET', '/nothing', { status: 404 }],
    ['POST', '/run/..%2f/echo', { status: 404 }],
    ['POST', `/run/${'a'.repeat(101)}/echo`, { status: 404 }],
    ['POST', '/run/a.b-c_9/echo', { status: 200 }],
  ] as const)('%s %s', async (method, url, expected) => {
    expect(await ask(method, url)).toMatchObject(expected);
  });
});

describe('paths that are nearly right', () => {
  const ask = async (method: 'GET' | 'POST', url: string) => {
    await using server = await serve();
    const { statusCode, headers } = await server.app.inject({ method, url, headers: { host: 'localhost' } });
    return { statusCode, location: headers.location, allow: headers.allow };
  };

  it('lead to the path without its last slash, also at the root of a run', async () => {
    expect(await ask('GET', '/run/x/')).toMatchObject({ statusCode: 307, location: '/run/x' });
    expect(await ask('POST', '/echo/')).toMatchObject({ statusCode: 307, location: '/echo' });
  });

  it('say which methods there are', async () => {
    expect(await ask('GET', '/run/x/echo')).toMatchObject({ statusCode: 405, allow: 'POST' });
  });
});

describe('the audit log', () => {
  it('is told of every end once: answered, refused with and without a known caller, too large, from a foreign page', async () => {
    await using server = await serve();
    const inject = (headers: Record<string, string>, payload = '') =>
      server.app.inject({ method: 'POST', url: '/run/r1/echo', headers: { host: 'localhost', ...headers }, payload });
    await inject({});
    await inject({ authorization: 'Bearer viewer' });
    await inject({ authorization: 'Bearer guess' });
    await inject({}, 'x'.repeat(LIMIT + 1));
    await inject({ origin: 'https://evil.example' });
    expect(
      server.calls.map(({ status, code, principal, things }) => [status, code, principal?.tokenId, things]),
    ).toEqual([
      [200, undefined, null, { run: 'r1', made: 'one' }],
      [403, 'forbidden', 'one', { run: 'r1' }],
      [401, 'unauthorized', undefined, { run: 'r1' }],
      [413, 'too-large', null, { run: 'r1' }],
      [403, 'forbidden', undefined, { run: 'r1' }],
    ]);
    expect(server.calls.every(({ route }) => route?.path === '/echo')).toBe(true);
    expect(server.calls[0]?.principal).toBe(LOCAL_PRINCIPAL);
  });

  it('is told of a caller who hung up before the answer', async () => {
    await using server = await serve();
    const socket = server.open(`${announce(1).replace('/large', '/run/slow/large')}x`);
    await sleep(30);
    socket.destroy();
    expect(server.calls).toHaveLength(0);
    await sleep(200);
    expect(server.calls).toMatchObject([{ things: { run: 'slow' } }]);
  });
});
