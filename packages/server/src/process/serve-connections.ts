import { DatabaseUrlError, StrangeBlobsError } from '@lachesis/store';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { SettingError } from '../http/settings/setting-error.ts';
import { ConnectionDrain } from './connection-drain.ts';
import type { ChildMessage, ParentMessage } from './supervise-socket.ts';

/** A server that is built and listens nowhere. */
export interface BuiltServer {
  app: FastifyInstance;
  /** Lets go of everything, once no request is under way. */
  close(): Promise<void>;
}

export interface ServeConnectionsOptions<T extends BuiltServer> {
  /** How the log calls what could not start. */
  name: string;
  log: Logger;
  /** A request under way gets this long to end when the server stops. */
  drainMs: number;
  build(): Promise<T>;
  /** What is done besides serving, once the parent hands connections over. */
  work?(built: T): Promise<void>;
}

/** Serves the connections that the parent hands over. When the parent is gone, so are we: nobody could reach us any more. */
export async function serveConnections<T extends BuiltServer>(options: ServeConnectionsOptions<T>): Promise<void> {
  try {
    const built = await options.build();
    const stop = takeConnections(built, options.drainMs);
    // A parent that went while we were built is not there to be told, and nobody would tell us.
    if (process.send !== undefined && !process.connected) return await stop();
    process.send?.({ type: 'ready' } satisfies ChildMessage, (error: Error | null) => void (error === null || stop()));
    await options.work?.(built);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isFinal = isFinalRefusal(error);
    if (!isFinal) options.log.error({ err: error }, `${options.name} could not start`);
    process.send?.({ type: 'refused', message, isFinal } satisfies ChildMessage, () => process.exit(1));
  }
}

/** Started again it would be refused again: somebody has to change how it is started. */
const isFinalRefusal = (error: unknown): boolean =>
  error instanceof SettingError || StrangeBlobsError.isInstance(error) || DatabaseUrlError.isInstance(error);

/** Gives what ends it all. */
function takeConnections(built: BuiltServer, drainMs: number): () => Promise<void> {
  const { server } = built.app;
  // The timers that end slow requests start with this event; we never listen ourselves.
  server.emit('listening');
  const drain = new ConnectionDrain(server);
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= drain
      .finish(drainMs)
      .then(() => built.close())
      .then(() => process.exit(0));
    return stopping;
  };
  process.on('message', (message: ParentMessage, socket?: Socket) => {
    if (message.type === 'connection' && socket !== undefined) {
      // Not a byte is read before the parent knows: what we have read nobody else could answer.
      process.send?.({ type: 'taken', id: message.id } satisfies ChildMessage, () => {
        drain.add(socket);
        server.emit('connection', socket);
        socket.resume();
      });
    } else if (message.type === 'stop') {
      void stop();
    }
  });
  process.on('disconnect', () => void stop());
  // A terminal sends its signals to the whole group; the parent tells us what to do.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => void stop());
  return stop;
}
