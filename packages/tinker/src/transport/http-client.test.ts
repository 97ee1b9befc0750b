import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpClient } from './http-client.ts';

interface Seen {
  method: string | undefined;
  headers: Record<string, string | undefined>;
  names: string[];
  body: string;
}

async function openServer(host = '127.0.0.1') {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const names = request.rawHeaders.filter((_, place) => place % 2 === 0).map((name) => name.toLowerCase());
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      seen.push({ method: request.method, headers, names, body });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const { signal } = new AbortController();

test('a request carries its host, its length in bytes and what it was given, each once', async () => {
  await using server = await openServer();
  const send = createHttpClient();
  const url = `http://127.0.0.1:${server.port}/api/v1/asample`;
  await send({ url, method: 'POST', headers: { 'x-api-key': 'tml-1' }, body: '{"name":"ö"}', signal });
  await send({ url, method: 'PUT', headers: {}, body: new Uint8Array([104, 105]), signal });
  const [text, bytes] = server.seen;
  expect(text).toMatchObject({
    method: 'POST',
    body: '{"name":"ö"}',
    headers: {
      host: `127.0.0.1:${server.port}`,
      'content-length': '13',
      'x-api-key': 'tml-1',
      connection: 'keep-alive',
    },
  });
  expect(bytes).toMatchObject({ method: 'PUT', body: 'hi', headers: { 'content-length': '2' } });
  for (const { names } of server.seen) expect(names).toHaveLength(new Set(names).size);
});

test.each(['POST', 'PUT', 'GET', 'DELETE'])('%s without a body sends none, and none in chunks', async (method) => {
  await using server = await openServer();
  const url = `http://127.0.0.1:${server.port}`;
  const { status, bytes } = await createHttpClient()({ url, method, headers: {}, body: undefined, signal });
  expect([status, bytes.byteLength]).toEqual([200, 2]);
  expect(server.seen).toHaveLength(1);
  const [seen] = server.seen;
  expect(seen?.body).toBe('');
  expect(seen?.names).not.toContain('transfer-encoding');
  expect(seen?.headers['content-length']).toBe(method === 'POST' || method === 'PUT' ? '0' : undefined);
});

test('an address of IPv6 stands in brackets in the host', async () => {
  await using server = await openServer('::1');
  const url = `http://[::1]:${server.port}/x`;
  await createHttpClient()({ url, method: 'POST', headers: {}, body: '{}', signal });
  expect(server.seen[0]?.headers['host']).toBe(`[::1]:${server.port}`);
});

test('a value with a line break is refused before anything is sent', async () => {
  await using server = await openServer();
  const send = createHttpClient();
  const url = `http://127.0.0.1:${server.port}/x`;
  const call = { url, method: 'POST', headers: { 'x-api-key': 'a\r\nx-other: b' }, body: '{}', signal };
  await expect(send(call)).rejects.toThrow(/Invalid character/);
  expect(server.seen).toEqual([]);
});
