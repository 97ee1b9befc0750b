import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/route.ts';
import type { TrajectoryApiDeps } from './deps.ts';

const healthSchema = z.object({
  status: z.enum(['impaired', 'ok']),
  database: z.enum(['ok', 'unreachable']),
  disk: z.enum(['low', 'ok']),
});

/** Whether the server lives. */
export function createHealthRoute(deps: TrajectoryApiDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/health',
    scope: 'public',
    summary: 'Whether the server and its database answer.',
    reply: healthSchema,
    handle: async ({ reply }): Promise<z.infer<typeof healthSchema>> => {
      const database = await deps.store.now().then(
        () => true,
        () => false,
      );
      const isHealthy = database && !deps.diskGuard.isLow;
      reply.code(database ? 200 : 503);
      return {
        status: isHealthy ? 'ok' : 'impaired',
        database: database ? 'ok' : 'unreachable',
        disk: deps.diskGuard.isLow ? 'low' : 'ok',
      };
    },
  });
}
