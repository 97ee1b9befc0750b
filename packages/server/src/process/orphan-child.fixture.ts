import Fastify from 'fastify';
import { pino } from 'pino';
import { serveConnections } from './serve-connections.ts';

/** A child of a server whose parent goes away while it is built. */
await serveConnections({
  name: 'orphan',
  log: pino(pino.destination(2)),
  drainMs: 100,
  async build() {
    const gone = new Promise((resolve) => process.once('disconnect', resolve));
    process.send?.({ type: 'building' });
    await gone;
    return { app: Fastify(), close: async () => undefined };
  },
  work: () => Promise.reject(new Error('there is nothing to do for nobody')),
});
