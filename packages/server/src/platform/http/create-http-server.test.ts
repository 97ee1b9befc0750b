import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../access/authenticate.ts';
import { HttpMetrics } from '../metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import type { Route } from './route.ts';

const LIMIT = 2_000;

async function serve() {
  const echo: Route = {
    method: 'POST',
    path: '/echo',
    scope: 'env:push',
    perRun: true,
    summary: 'Say how long the body is.',
    handle: async ({ request, runName }) => ({
      run: runName,
      bytes: request.body instanceof Uint8Array ? request.body.length : 0,
    }),
  };
  const root: Route = { ...echo, method: 'GET', path: '/', scope: 'public', handle: async () => ({}) };
  const app = createHttpServer({
    routes: [echo, root],
    authenticator: new Authenticator({ directory: { find: async () => null, count: async () => 0 } }),
    browserRules: { allowedHosts: new Set(['localhost']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    maxBodyBytes: LIMIT,
    bodyBudgetBytes: 1_000,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = (text: string) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => socket.destroy());
    socket.write(text);
    return socket;
  };
  const post = async (bytes: number): Promise<number> => {
    const socket = open(
      `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\nconnection: close\r\n\r\n${'x'.repeat(bytes)}`,
    );
    let reply = '';
    for await (const part of socket) reply += String(part);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);
  };
  return { open, post, app, [Symbol.asyncDispose]: () => app.close() };
}

const announce = (bytes: number): string =>
  `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n\r\n`;

describe('room for bodies', () => {
  it('comes back from clients that leave while they send', async () => {
    await using server = await serve();
    const slow = server.open(announce(900));
    await sleep(50);
    const waiting = server.post(900);
    slow.destroy();
    expect(await waiting).toBe(200);
  });

  it('comes back from clients that leave while they wait for it', async () => {
    await using server = await serve();
    const slow = server.open(announce(900));
    await sleep(50);
    const impatient = Array.from({ length: 5 }, () => server.open(announce(900)));
    await sleep(50);
    for (const socket of impatient) socket.destroy();
    await sleep(50);
    slow.destroy();
    expect(await server.post(900)).toBe(200);
  });

  it('is not taken by a body that is refused for its length', async () => {
    await using server = await serve();
    server.open(announce(LIMIT + 1));
    server.open(announce(10 ** 12));
    await sleep(50);
    expect(await server.post(900)).toBe(200);
    expect(await server.post(LIMIT + 1)).toBe(413);
  });

  it('is shared by all who fit, also those that need all of it', async () => {
    await using server = await serve();
    expect(await Promise.all([400, 400, 400, 2_000, 400].map(server.post))).toEqual([200, 200, 200, 200, 200]);
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
