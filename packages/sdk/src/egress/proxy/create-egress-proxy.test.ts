import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createEgressRule } from '../create-egress-rule.ts';
import { createEgressProxy, type EgressProxyOptions } from './create-egress-proxy.ts';

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy through which a server of ours on the loopback may be asked. */
async function open(port: number, options: Partial<EgressProxyOptions> = {}) {
  const allow = `127.0.0.1:${port}`;
  const proxy = createEgressProxy({ rule: createEgressRule({ allow }), allow: [allow], ...options });
  onTestFinished(() => proxy.close());
  return { proxy, url: new URL(await proxy.listen()) };
}

interface Asked {
  through: URL;
  target: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask({ through, target, method = 'GET', headers = {}, body }: Asked) {
  const { hostname, port, username, password } = through;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const host = URL.canParse(target) ? new URL(target).host : '';
    const all = { host, 'proxy-authorization': authorization, ...headers };
    const sent = request({ ...{ hostname, port, path: target, method, headers: all, agent: false } }, resolve);
    sent.once('error', reject);
    sent.end(body);
  });
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

/** Sends bytes as they are, and gives back all that comes. */
async function send(through: URL, lines: readonly string[]): Promise<string> {
  const { port, username, password } = through;
  const credential = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const [first = '', ...rest] = lines;
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.write([first, credential, ...rest].join('\r\n'), 'latin1');
  return text(socket);
}

test('passes an allowed request on, without what is between client and proxy, and logs it', async () => {
  const seen: IncomingMessage[] = [];
  const port = await serve((incoming, reply) => {
    seen.push(incoming);
    incoming
      .on('data', () => undefined)
      .on('end', () => reply.writeHead(201, { 'x-a': 'b', 'alt-svc': 'h3' }).end('hello'));
  });
  const { proxy, url } = await open(port);
  const target = `http://127.0.0.1:${port}/a?b=c`;
  const answer = await ask({ through: url, target, method: 'POST', headers: { te: 'x', 'x-k': 'v' }, body: 'body' });
  expect([answer.status, answer.text, answer.headers['x-a'], answer.headers['alt-svc']]).toEqual([
    201,
    'hello',
    'b',
    undefined,
  ]);
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/a?b=c', headers: { 'x-k': 'v', host: `127.0.0.1:${port}` } });
  expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(proxy.log).toMatchObject([
    { method: 'POST', host: '127.0.0.1', port, address: '127.0.0.1', verdict: 'allowed' },
  ]);
  expect(proxy.log[0]?.upBytes).toBeGreaterThan(4);
  expect(proxy.log[0]?.downBytes).toBeGreaterThan(5);
});

test('a tunnel carries bytes both ways and ends with either side', async () => {
  const echo = createTcpServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void echo.close());
  const { port } = echo.address() as AddressInfo;
  const { proxy, url } = await open(port);
  const socket = connect({ host: '127.0.0.1', port: Number(url.port) });
  const credential = Buffer.from(`${url.username}:${url.password}`).toString('base64');
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nProxy-Authorization: Basic ${credential}\r\n\r\nearly `);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.end('late');
  expect(await text(socket)).toContain('early late');
  await expect.poll(() => proxy.log).toMatchObject([{ verdict: 'allowed', upBytes: 10, downBytes: 10 }]);
});

test('without the credential nothing is asked', async () => {
  const port = await serve((_incoming, reply) => reply.end('hello'));
  const { proxy, url } = await open(port);
  url.password = 'guessed';
  const answer = await ask({ through: url, target: `http://127.0.0.1:${port}/` });
  expect([answer.status, answer.headers['proxy-authenticate']]).toEqual([407, 'Basic realm="lachesis"']);
  expect(proxy.log[0]).toMatchObject({ verdict: 'unauthorized', host: '' });
});

test('a name is resolved once, and its address is what is connected to', async () => {
  const port = await serve((incoming, reply) => reply.end(incoming.headers.host));
  let lookups = 0;
  const lookup = async () => [{ address: (lookups += 1) === 1 ? '8.8.8.8' : '127.0.0.1' }];
  const dialled: string[] = [];
  const { url } = await open(port, {
    rule: createEgressRule({ lookup }),
    allow: ['pinned.example.com'],
    dial: ({ host }) => {
      dialled.push(host);
      return connect({ host: '127.0.0.1', port });
    },
  });
  const answer = await ask({ through: url, target: 'http://pinned.example.com./' });
  expect([answer.text, dialled, lookups]).toEqual(['pinned.example.com', ['8.8.8.8'], 1]);
});

test('what the list does not name is refused, and so is what it names and the rule does not allow', async () => {
  const port = await serve((_incoming, reply) => reply.end('hello'));
  const lookup = async () => [{ address: '8.8.8.8' }];
  const { proxy, url } = await open(port, { rule: createEgressRule({ lookup }), allow: ['pypi.org', '10.0.0.1'] });
  const elsewhere = await ask({ through: url, target: 'http://example.com/' });
  expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('example.com:80 is not among')]);
  expect((await ask({ through: url, target: 'http://10.0.0.1/' })).text).toContain('a private network');
  expect((await ask({ through: url, target: 'http://pypi.org:25/' })).text).toContain('not among');
  expect(proxy.log.map(({ verdict }) => verdict)).toEqual(['refused', 'refused', 'refused']);
});

const HOST = (port: number): string => `127.0.0.1:${port}`;
test.each<[string, (port: number) => string[]]>([
  [
    'two lengths',
    (p) => [
      `POST http://${HOST(p)}/ HTTP/1.1`,
      `Host: ${HOST(p)}`,
      'Content-Length: 4',
      'Content-Length: 0',
      '',
      'abcd',
    ],
  ],
  [
    'a length and chunks',
    (p) => [
      `POST http://${HOST(p)}/ HTTP/1.1`,
      `Host: ${HOST(p)}`,
      'Content-Length: 4',
      'Transfer-Encoding: chunked',
      '',
      '0',
      '',
      '',
    ],
  ],
  [
    'a coding that is not chunked',
    (p) => [`POST http://${HOST(p)}/ HTTP/1.1`, `Host: ${HOST(p)}`, 'Transfer-Encoding: xchunked', '', '0', '', ''],
  ],
  ['two hosts', (p) => [`GET http://${HOST(p)}/ HTTP/1.1`, `Host: ${HOST(p)}`, 'Host: other', '', '']],
  ['another host', (p) => [`GET http://${HOST(p)}/ HTTP/1.1`, 'Host: other', '', '']],
  ['no host', (p) => [`GET http://${HOST(p)}/ HTTP/1.1`, '', '']],
  ['a path alone', (p) => ['GET / HTTP/1.1', `Host: ${HOST(p)}`, '', '']],
  [
    'a length that Connection drops',
    (p) => [
      `POST http://${HOST(p)}/ HTTP/1.1`,
      `Host: ${HOST(p)}`,
      'Connection: close, content-length',
      'Content-Length: 4',
      '',
      'abcd',
    ],
  ],
  ['a zero byte', (p) => [`GET http://${HOST(p)}/ HTTP/1.1`, `Host: ${HOST(p)}`, 'X: a\0b', '', '']],
  ['a tunnel to a path', (p) => [`CONNECT ${HOST(p)}/x HTTP/1.1`, '', '']],
  ['a tunnel with another host', (p) => [`CONNECT ${HOST(p)} HTTP/1.1`, 'Host: other:443', '', '']],
  ['no version', (p) => [`GET http://${HOST(p)}/`, `Host: ${HOST(p)}`, '', '']],
  ['a method that echoes', (p) => [`TRACE http://${HOST(p)}/ HTTP/1.1`, `Host: ${HOST(p)}`, '', '']],
])('%s is malformed', async (_name, write) => {
  let count = 0;
  const port = await serve((_incoming, reply) => reply.end(String((count += 1))));
  const { proxy, url } = await open(port);
  expect(await send(url, write(port))).toMatch(/^HTTP\/1\.1 400 /);
  expect([count, proxy.log.at(-1)?.verdict]).toEqual([0, 'malformed']);
});

test('quotas hold: requests, bytes both ways, time, and at once', async () => {
  const port = await serve((incoming, reply) => {
    incoming.resume();
    if (incoming.url === '/slow') return;
    reply.end('x'.repeat(incoming.url === '/large' ? 100_000 : 1));
  });
  const target = `http://127.0.0.1:${port}`;
  const few = await open(port, { quotas: { requests: 1 } });
  expect((await ask({ through: few.url, target })).status).toBe(200);
  expect((await ask({ through: few.url, target })).text).toContain('more than 1 requests');

  const down = await open(port, { quotas: { downBytes: 10_000 } });
  await expect(ask({ through: down.url, target: `${target}/large` })).rejects.toThrow(/aborted|hang up/);
  expect(down.proxy.log[0]).toMatchObject({ verdict: 'over-quota', reason: 'more than 10000 bytes received' });
  expect((await ask({ through: down.url, target })).status).toBe(429);

  const up = await open(port, { quotas: { upBytes: 1_000 } });
  const sent = ask({ through: up.url, target: `${target}/slow`, method: 'POST', body: 'x'.repeat(50_000) });
  await sent.catch(() => undefined);
  expect(up.proxy.log[0]).toMatchObject({ verdict: 'over-quota', reason: 'more than 1000 bytes sent' });

  const slow = await open(port, { quotas: { requestMs: 100, concurrent: 1 } });
  const first = ask({ through: slow.url, target: `${target}/slow` });
  await expect.poll(() => slow.proxy.usage.requests).toBe(1);
  expect((await ask({ through: slow.url, target })).text).toContain('at once');
  expect((await first).status).toBe(429);
});

test('a server that is not there is told apart from one that is not allowed', async () => {
  const { proxy, url } = await open(1);
  expect((await ask({ through: url, target: 'http://127.0.0.1:1/' })).status).toBe(502);
  expect(proxy.log[0]).toMatchObject({ verdict: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
  expect(() => createEgressProxy({ rule: createEgressRule(), allow: ['http://a'] })).toThrow('which is no host');
  expect(() => createEgressProxy({ rule: createEgressRule(), allow: [], quotas: { requests: 0 } })).toThrow('requests');
});
