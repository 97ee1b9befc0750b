import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyedServer {
  readonly url: string;
  /** Calls that came without the key, or with another one. */
  readonly refused: number;
  /** Calls that came with it. */
  readonly passed: number;
  stop(): Promise<void>;
}

/** Stands before an engine and lets nobody through without the key, as the managed service does; a server of no key looks at none. */
export async function startKeyedServer(options: { engineUrl: string; key: string | undefined }): Promise<KeyedServer> {
  const counts = { refused: 0, passed: 0 };
  const engine = new URL(options.engineUrl);
  const server = createServer((incoming, response) => {
    if (options.key !== undefined && incoming.headers['x-api-key'] !== options.key) {
      counts.refused += 1;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"Invalid API key"}');
      return;
    }
    counts.passed += 1;
    const outgoing = ask(
      {
        ...{ host: engine.hostname, port: engine.port, path: incoming.url, method: incoming.method },
        headers: { ...incoming.headers, host: engine.host },
      },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      },
    );
    // Its client asks again, as after any broken connection.
    outgoing.on('error', (error) => response.destroy(error));
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return counts.refused;
    },
    get passed() {
      return counts.passed;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
