import type { Registry } from 'prom-client';
import { describeRoutes } from './describe-routes.ts';
import type { Route } from './route.ts';

/** What every server counts, and what it offers; `doors` are the other routes it describes. */
export function createSystemRoutes(options: { registry: Registry; doors: readonly Route[]; title: string }): Route[] {
  const { registry, doors, title } = options;
  const system: Route[] = [
    {
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      audit: 'none',
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
      handle: async () => describeRoutes([...doors, ...system], { title, version: '0.1.0' }),
    },
  ];
  return system;
}
