import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `pass`: as the engine answers. `busy`: samples are refused with 429. `down`: nothing listens. */
export type RelayMode = 'busy' | 'down' | 'pass';

export interface EngineRelay {
  readonly url: string;
  /** Samples that were refused. */
  readonly refused: number;
  setMode(mode: RelayMode): Promise<void>;
  end(): Promise<void>;
}

/** Stands before a real engine, and can be busy or gone. */
export async function startEngineRelay(engineUrl: string): Promise<EngineRelay> {
  const target = new URL(engineUrl);
  let mode: RelayMode = 'pass';
  let refused = 0;
  const server = createServer((request, response) => {
    if (mode === 'busy' && request.url?.endsWith('/asample') === true) {
      refused += 1;
      request.resume();
      request.once('end', () =>
        response.writeHead(429, { 'content-type': 'application/json' }).end('{"detail":"too many requests"}'),
      );
      return;
    }
    const { method, headers, url: path } = request;
    const onward = send({ host: target.hostname, port: target.port, method, headers, path }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return refused;
    },
    async setMode(next) {
      mode = next;
      if (next === 'down') await close();
      else if (!server.listening) await listen(port);
    },
    end: close,
  };
}
