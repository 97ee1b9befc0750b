import { createServer, get, Agent } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionDrain } from './connection-drain.ts';

async function serve(answerMs: number) {
  const started = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    started.resolve();
    setTimeout(() => response.end('done'), answerMs);
  });
  const drain = new ConnectionDrain(server);
  server.on('connection', (socket) => drain.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<{ text: string; connection: string | undefined }>((resolve, reject) => {
      const call = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ text, connection: response.headers.connection }));
      });
      call.on('error', reject);
    });
  return {
    ask,
    drain,
    started: started.promise,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('draining connections', () => {
  it('waits for requests under way', async () => {
    await using server = await serve(100);
    const asked = server.ask();
    await server.started;
    await server.drain.finish(5_000);
    expect((await asked).text).toBe('done');
  });

  it('does not work on a request that it could not answer any more', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      setTimeout(() => response.end('done'), request.url === '/slow' ? 200 : 0);
    });
    const drain = new ConnectionDrain(server);
    server.on('connection', (socket) => drain.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const open = () => connect(port, '127.0.0.1').on('error', () => undefined);
    const ask = (client: ReturnType<typeof open>, path: string) =>
      client.write(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`);
    const [idle, busy] = [open(), open()];
    ask(idle, '/first');
    await new Promise((resolve) => idle.once('data', resolve));
    ask(busy, '/slow');
    while (!paths.includes('/slow')) await new Promise((resolve) => setTimeout(resolve, 1));
    // On its way when the connection, idle until then, is ended.
    ask(idle, '/late');
    const answer = new Promise<Buffer>((resolve) => busy.once('data', resolve));
    const closed = [idle, busy].map((client) => new Promise((resolve) => client.once('close', resolve)));
    await drain.finish(1_000);
    expect(String(await answer)).toContain('200 OK');
    await Promise.all(closed);
    await new Promise((resolve) => server.close(resolve));
    expect(paths).toEqual(['/first', '/slow']);
  });

  it('cuts what takes longer than it may', async () => {
    await using server = await serve(5_000);
    const asked = server.ask().catch(() => 'cut');
    await server.started;
    const startedAt = performance.now();
    await server.drain.finish(50);
    expect(await asked).toBe('cut');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('ends at once when nobody is connected', async () => {
    await using server = await serve(0);
    await expect(server.drain.finish(5_000)).resolves.toBeUndefined();
  });
});
