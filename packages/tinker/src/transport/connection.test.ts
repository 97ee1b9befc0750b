import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { certificate, key } from './certificate.fixture.ts';
import { createHttpClient } from './http-client.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const closed = async (socket: Socket | undefined): Promise<void> => {
  await expect.poll(() => socket?.closed).toBe(true);
};

/** A server that answers each request it can see the end of as it is told, and tells its connections apart. */
async function openServer(answer: (call: { socket: Socket; connection: number; request: number }) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket);
    let request = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', () => answer({ socket, connection, request: (request += 1) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createHttpClient();
  return {
    sockets,
    async send({ body = '{}', signal = new AbortController().signal, path = '/x' } = {}) {
      const reply = await client({ url: `http://127.0.0.1:${port}${path}`, method: 'POST', headers: {}, body, signal });
      return Buffer.from(reply.bytes).toString();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('requests one after the other share a connection, and at once have one each', async () => {
  await using server = await openServer(({ socket }) => socket.write(OK));
  for (let round = 0; round < 3; round += 1) await server.send();
  expect(server.sockets).toHaveLength(1);
  await Promise.all([server.send(), server.send(), server.send()]);
  expect(server.sockets).toHaveLength(3);
});

test('a connection that the server closed is not used again', async () => {
  await using server = await openServer(({ socket }) => socket.end(OK));
  await server.send();
  await closed(server.sockets[0]);
  await sleep(20);
  expect(await server.send()).toBe('ok');
  expect(server.sockets).toHaveLength(2);
});

test('bytes that nobody asked for are not the answer to the next request', async () => {
  await using server = await openServer(({ socket, connection }) => {
    socket.write(OK.replace('ok', `r${connection}`));
    if (connection === 1) setTimeout(() => socket.write(OK.replace('ok', 'no')), 20);
  });
  expect(await server.send()).toBe('r1');
  await closed(server.sockets[0]);
  expect(await server.send()).toBe('r2');
});

test('a second answer behind the first is not the answer to the next request', async () => {
  await using server = await openServer(({ socket, connection }) =>
    socket.write(OK.replace('ok', `r${connection}`) + OK.replace('ok', 'no')),
  );
  expect(await server.send()).toBe('r1');
  expect(await server.send()).toBe('r2');
});

test.each([
  ['before it answered', ''],
  ['inside the head', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['inside the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ['inside a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf'],
])('a server that goes away %s has not answered', async (_when, text) => {
  await using server = await openServer(({ socket }) => socket.end(text));
  await expect(server.send()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('an answer ends with its connection when it has no length', async () => {
  await using server = await openServer(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nfirst ');
    setTimeout(() => socket.end('last'), 20);
  });
  expect(await server.send()).toBe('first last');
});

test('what is not HTTP is refused, and its connection closed', async () => {
  await using server = await openServer(({ socket }) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'));
  await expect(server.send()).rejects.toThrow(/does not begin as HTTP/);
  await closed(server.sockets[0]);
});

test('a call that is given up closes its connection, and others go on', async () => {
  await using server = await openServer(({ socket, connection }) => void (connection > 1 && socket.write(OK)));
  const controller = new AbortController();
  const call = server.send({ signal: controller.signal });
  await expect.poll(() => server.sockets.length).toBe(1);
  const other = server.send();
  controller.abort();
  await expect(call).rejects.toThrow('aborted');
  expect(await other).toBe('ok');
  await closed(server.sockets[0]);
  await expect(server.send({ signal: controller.signal })).rejects.toThrow('aborted');
});

test('an answer that comes before the whole request was sent is the answer, and its connection is closed', async () => {
  const refusal = 'HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig';
  await using server = await openServer(({ socket, request }) => {
    if (request > 1) return;
    socket.pause();
    socket.write(refusal);
  });
  expect(await server.send({ body: 'x'.repeat(64 * 2 ** 20) })).toBe('big');
  server.sockets[0]!.resume();
  await closed(server.sockets[0]);
});

test('a connection that was idle for four seconds is closed by us', { timeout: 20_000 }, async () => {
  await using server = await openServer(({ socket }) => socket.write(OK));
  await server.send();
  const since = performance.now();
  await closed(server.sockets[0]);
  expect(performance.now() - since).toBeGreaterThan(3_500);
  expect(await server.send()).toBe('ok');
  expect(server.sockets).toHaveLength(2);
});

test('a server that keeps connections for a shorter time is believed', async () => {
  const short = OK.replace('\r\n\r\n', '\r\nkeep-alive: timeout=1\r\n\r\n');
  await using server = await openServer(({ socket }) => socket.write(short));
  for (let round = 0; round < 2; round += 1) expect(await server.send()).toBe('ok');
  expect(server.sockets).toHaveLength(2);
});

test('an address where nobody listens is told by its code', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { signal } = new AbortController();
  const call = { url: `http://127.0.0.1:${port}/`, method: 'GET', headers: {}, body: undefined, signal };
  await expect(createHttpClient()(call)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a path with a space or a line break is refused before anything is sent', async () => {
  await using server = await openServer(({ socket }) => socket.write(OK));
  for (const path of ['/a b', '/a\r\nx: y', '/a\u0000']) {
    await expect(server.send({ path })).rejects.toMatchObject({ code: 'ERR_UNESCAPED_CHARACTERS' });
  }
  expect(server.sockets).toHaveLength(0);
});

test('over TLS nothing is said to a server whose certificate is not trusted', async () => {
  const heard: string[] = [];
  const server = createTlsServer({ cert: certificate, key }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      heard.push(bytes.toString());
      socket.write(OK);
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const send = (host: string) =>
    createHttpClient()({ url: `https://${host}:${port}/`, method: 'POST', headers: {}, body: '{}', signal });
  const trusted = getCACertificates('default');
  try {
    await expect(send('localhost')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(heard).toEqual([]);
    setDefaultCACertificates([...trusted, certificate]);
    for (const host of ['localhost', '127.0.0.1']) expect(await send(host)).toMatchObject({ status: 200 });
    expect(heard[0]).toMatch(/^POST \/ HTTP\/1\.1\r\nhost: localhost:/);
  } finally {
    setDefaultCACertificates(trusted);
    await new Promise((resolve) => server.close(resolve));
  }
});
