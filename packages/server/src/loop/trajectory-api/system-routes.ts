import type { Registry } from 'prom-client';
import { describeRoutes } from '../../platform/http/describe-routes.ts';
import type { Route } from '../../platform/http/route.ts';
import type { TrajectoryApiParts } from './parts.ts';

/** Whether the server lives, what it counts, and what it offers. */
export function createSystemRoutes(parts: TrajectoryApiParts, registry: Registry, doors: readonly Route[]): Route[] {
  const routes: Route[] = [
    {
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
    },
    {
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      perRun: false,
      summary: 'Counters in the Prometheus text format.',
      response: { contentType: 'text/plain' },
      handle: async ({ reply }) => reply.type(registry.contentType).send(await registry.metrics()),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      scope: 'public',
      perRun: false,
      summary: 'This document.',
      handle: async () => describeRoutes([...doors, ...routes], { title: 'Lachesis trajectory API', version: '0.1.0' }),
    },
  ];
  return routes;
}
