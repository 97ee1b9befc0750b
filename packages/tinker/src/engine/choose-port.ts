import { createServer } from 'node:net';

import { EngineError } from './engine-error.ts';

/** Where the engine listens unless told otherwise: next to nothing else of ours. */
export const DEFAULT_ENGINE_PORT = 8100;

/** The port asked for, or the usual one, or any free one when the usual one is taken. */
export async function choosePort(asked: number | undefined): Promise<number> {
  if (asked === undefined) return (await tryPort(DEFAULT_ENGINE_PORT)) ?? (await tryPort(0)) ?? DEFAULT_ENGINE_PORT;
  if (!Number.isInteger(asked) || asked < 0 || asked > 65_535) {
    throw new EngineError({
      reason: 'bad-option',
      message: `A port is a whole number from 0 to 65535, and ${asked} was given.`,
    });
  }
  const port = await tryPort(asked);
  if (port !== undefined) return port;
  throw new EngineError({
    reason: 'port-taken',
    message: `Port ${asked} on 127.0.0.1 cannot be used.`,
    hint: 'Another program listens there, or this user may not: choose another with --port.',
  });
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
        else reject(error);
      });
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        const address = server.address();
        resolve(address === null || typeof address === 'string' ? undefined : address.port);
      });
    });
  } finally {
    server.close();
  }
}
