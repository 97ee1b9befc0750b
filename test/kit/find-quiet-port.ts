import { createServer } from 'node:net';

/** Below what Linux and macOS hand out to clients by default (32768 and 49152). */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * A free TCP port that no client is ever given as its own. A server that is killed while clients go on trying needs one:
 * with a port of the usual range one of them sooner or later gets that very port, connects to itself, and the server
 * cannot come back.
 */
export async function findQuietPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
