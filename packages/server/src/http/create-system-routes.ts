import type { Registry } from 'prom-client';
import { z } from 'zod';
import { defineRoute, sentByHand } from './define-route.ts';
import { describeRoutes } from './describe-routes.ts';
import type { Route } from './route.ts';
import { SERVER_VERSION } from './settings/version.ts';

/** What every server counts, and what it offers; `described` are the other routes it describes. */
export function createSystemRoutes(options: {
  registry: Registry;
  described: readonly Route[];
  title: string;
}): Route[] {
  const { registry, described, title } = options;
  const system: Route[] = [
    defineRoute({
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      audit: 'none',
      summary: 'Counters in the Prometheus text format.',
      reply: sentByHand('text/plain'),
      handle: async ({ reply }) => reply.type(registry.contentType).send(await registry.metrics()),
    }),
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      scope: 'public',
      summary: 'This document.',
      reply: z.looseObject({ openapi: z.string() }),
      handle: async () => describeRoutes([...described, ...system], { title, version: SERVER_VERSION }),
    }),
  ];
  return system;
}
