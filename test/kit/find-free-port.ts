import { createServer } from 'node:net';

/**
 * A TCP port on loopback that was free a moment ago. Another process may take it before the caller binds it; the kernel
 * hands out ephemeral ports in a way that makes this rare, and a server that loses the race fails loudly at start.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the probe socket has no port'));
      else resolve(address.port);
    });
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
