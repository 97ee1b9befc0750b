import type { Route } from '../../platform/http/route.ts';
import type { TrajectoryApiParts } from './parts.ts';

/** Whether the server lives. */
export function createHealthRoute(parts: TrajectoryApiParts): Route {
  return {
    method: 'GET',
    path: '/health',
    scope: 'public',
    perRun: false,
    summary: 'Whether the server and its database answer.',
    handle: async ({ reply }) => {
      const database = await parts.store.now().then(
        () => true,
        () => false,
      );
      const isHealthy = database && !parts.diskGuard.isLow;
      return reply.code(database ? 200 : 503).send({
        status: isHealthy ? 'ok' : 'impaired',
        database: database ? 'ok' : 'unreachable',
        disk: parts.diskGuard.isLow ? 'low' : 'ok',
      });
    },
  };
}
