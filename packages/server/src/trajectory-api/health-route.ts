import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/route.ts';
import type { TrajectoryApiParts } from './parts.ts';

const healthSchema = z.object({
  status: z.enum(['impaired', 'ok']),
  database: z.enum(['ok', 'unreachable']),
  disk: z.enum(['low', 'ok']),
});

/** Whether the server lives. */
export function createHealthRoute(parts: TrajectoryApiParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/health',
    scope: 'public',
    summary: 'Whether the server and its database answer.',
    reply: healthSchema,
    handle: async ({ reply }): Promise<z.infer<typeof healthSchema>> => {
      const database = await parts.store.now().then(
        () => true,
        () => false,
      );
      const isHealthy = database && !parts.diskGuard.isLow;
      reply.code(database ? 200 : 503);
      return {
        status: isHealthy ? 'ok' : 'impaired',
        database: database ? 'ok' : 'unreachable',
        disk: parts.diskGuard.isLow ? 'low' : 'ok',
      };
    },
  });
}
