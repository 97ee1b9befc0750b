import fastify from 'fastify';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { RouteCall } from './route.ts';
import { streamEvents } from './stream-events.ts';

/** A server that sends events of a hundred kilobytes for as long as its reader is there. */
async function openServer(stuckMs: number) {
  const app = fastify({ forceCloseConnections: true });
  const ended = Promise.withResolvers<number>();
  app.get('/', async (_request, reply) => {
    let sent = 0;
    const call = { reply } as RouteCall;
    await streamEvents(call, {
      ...{ stuckMs, monotonic: () => performance.now(), wait: async () => {} },
      follow: async (stream) => {
        for (; !stream.signal.aborted && sent < 2_000; sent += 1) {
          await stream.send({ id: sent, event: 'tick', data: 'x'.repeat(100_000) });
        }
      },
    });
    ended.resolve(sent);
    return reply;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, ended: ended.promise, [Symbol.asyncDispose]: () => app.close() };
}

test('a reader that takes nothing is waited for, and then cut off', async () => {
  await using server = await openServer(300);
  const reader = connect(server.port, '127.0.0.1');
  await once(reader, 'connect');
  reader.pause();
  const since = performance.now();
  reader.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  // What the line itself holds is sent; the rest is not read into memory.
  expect(await server.ended).toBeLessThan(1_000);
  expect(performance.now() - since).toBeGreaterThan(290);
  reader.destroy();
});

test('a slow reader gets everything', async () => {
  await using server = await openServer(10_000);
  const reply = await fetch(`http://127.0.0.1:${server.port}/`);
  let bytes = 0;
  for await (const piece of reply.body!) bytes += (piece as Uint8Array).byteLength;
  expect(await server.ended).toBe(2_000);
  expect(bytes).toBeGreaterThan(2_000 * 100_000);
});
