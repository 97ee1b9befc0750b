import type { Store } from '@lachesis/store';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { identifyLibrary } from '../control/library/identify-library.ts';
import { Authenticator } from '../platform/access/authenticate.ts';
import { LOOPBACK_HOSTS } from '../platform/access/check-browser.ts';
import { createTokenDirectory } from '../platform/access/token-directory.ts';
import { createHttpServer } from '../platform/http/create-http-server.ts';
import { describeRoutes } from '../platform/http/describe-routes.ts';
import type { Route } from '../platform/http/route.ts';
import { HttpMetrics } from '../platform/metrics/http-metrics.ts';
import type { ControlSettings } from '../platform/settings/control-settings.ts';

export interface ControlHttpOptions {
  settings: ControlSettings;
  store: Store;
  registry: Registry;
  log: Logger;
  /** The routes of the rooms in this process. */
  routes: readonly Route[];
}

/** The HTTP side of the control process. It listens nowhere yet. */
export function createControlHttp(options: ControlHttpOptions): { app: FastifyInstance; routes: Route[] } {
  const { settings, store, registry, log } = options;
  const routes = [...options.routes, ...createSystemRoutes(options)];
  const app = createHttpServer({
    routes,
    authenticator: new Authenticator({
      directory: createTokenDirectory(store),
      monotonic: () => performance.now(),
    }),
    browserRules: {
      allowedHosts: new Set([...LOOPBACK_HOSTS, settings.host.toLowerCase(), ...settings.allowHosts]),
      allowedOrigins: new Set(settings.allowOrigins),
    },
    metrics: new HttpMetrics(registry),
    log,
    maxBodyBytes: settings.maxBodyBytes,
    bodyBudgetBytes: settings.bodyBudgetBytes,
    findElsewhere,
  });
  return { app, routes };
}

function createSystemRoutes({ settings, store, registry, routes }: ControlHttpOptions): Route[] {
  const library = identifyLibrary(settings);
  const system: Route[] = [
    {
      method: 'GET',
      path: '/health',
      scope: 'public',
      perRun: false,
      summary: 'Whether the server and its database answer, and which library this is.',
      handle: async ({ reply }) => {
        const isThere = await store.now().then(
          () => true,
          () => false,
        );
        return reply
          .code(isThere ? 200 : 503)
          .send({ status: isThere ? 'ok' : 'impaired', service: 'control', library });
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
      handle: async () => describeRoutes([...routes, ...system], { title: 'Lachesis control', version: '0.1.0' }),
    },
  ];
  return system;
}

const INFERENCE = /^\/(v1\/(chat\/completions|completions|models|policy|responses)|generate|t\/.+)$/;
const TRAJECTORY_API =
  /^\/(run\/[^/]+\/)?(scored_data|scored_data_list|batch|register|register-env|status-env|v1\/groups)$/;

/** Tells callers of the other stations where those are when nobody moved them. */
function findElsewhere(path: string): string | undefined {
  if (INFERENCE.test(path))
    return `This is the control API. The inference server has ${path}, by default on port 8001.`;
  if (TRAJECTORY_API.test(path)) {
    return `This is the control API. The trajectory API has ${path}, by default on port 8000.`;
  }
  return undefined;
}
