import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { callStore } from './call-store.ts';

async function call(answer: RequestListener, init: { method: string; body?: string }, timeoutMs = 5_000) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/key?uploads=`);
    const signal = AbortSignal.timeout(timeoutMs);
    return await callStore(url, { ...init, headers: { 'x-sent': 'yes' }, signal, redirect: 'error' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('sends path, headers and bytes, and gives status, headers and bytes', async () => {
  const reply = await call(
    (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.once('end', () => {
        const { 'x-sent': sent, 'content-length': length } = request.headers;
        response.writeHead(412, { etag: '"e"' });
        response.end([request.method, request.url, sent, length, body].join(' '));
      });
    },
    { method: 'PUT', body: 'bytes' },
  );
  expect(reply.status).toBe(412);
  expect(reply.headers.get('etag')).toBe('"e"');
  expect(Buffer.from(await reply.arrayBuffer()).toString()).toBe('PUT /bucket/key?uploads= yes 5 bytes');
});

it('does not follow a redirect', async () => {
  const reply = await call((_, response) => response.writeHead(301, { location: 'http://192.0.2.1/' }).end(), {
    method: 'GET',
  });
  expect(reply.status).toBe(301);
});

it('takes nothing for whole that was cut off, and does not wait for ever', async () => {
  const cut: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  await expect(call(cut, { method: 'GET' })).rejects.toThrow('aborted');
  await expect(call(() => undefined, { method: 'GET' }, 50)).rejects.toThrow('aborted');
});
