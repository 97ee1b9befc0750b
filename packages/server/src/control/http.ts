import { controlHealthSchema, type ControlHealth } from '@lachesis/protocol';
import type { Store } from '@lachesis/store';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { identifyLibrary } from '../services/library/identify-library.ts';
import { Authenticator, type TokenDirectory } from '../http/access/authenticate.ts';
import { LOOPBACK_HOSTS } from '../http/access/check-browser.ts';
import { createTokenDirectory } from '../http/access/token-directory.ts';
import type { AuditSink } from '../http/audit/audit-sink.ts';
import { createHttpServer } from '../http/create-http-server.ts';
import { createSystemRoutes } from '../http/create-system-routes.ts';
import { defineRoute } from '../http/define-route.ts';
import type { RequestBodyOptions } from '../http/request-bodies.ts';
import type { Route } from '../http/route.ts';
import { HttpMetrics } from '../http/metrics/http-metrics.ts';
import { SERVER_VERSION } from '../http/settings/version.ts';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import type { Page } from './page/serve-page.ts';

export interface ControlHttpOptions {
  settings: ControlSettings;
  store: Store;
  registry: Registry;
  audit: AuditSink;
  log: Logger;
  /** The routes of the rooms in this process. */
  routes: readonly Route[];
  /** What people see who open this server in a browser. */
  page?: Page | undefined;
  /** How the stations around this server are. */
  lookAround?: (() => Promise<Pick<ControlHealth, 'engine' | 'inference'>>) | undefined;
  /** Parts that tests put in place of the real ones. */
  bodies?: Pick<RequestBodyOptions, 'bodyLedger' | 'jsonReader'> | undefined;
  /** Instead of those of the store. */
  tokens?: TokenDirectory | undefined;
}

/** The HTTP side of the control process. It listens nowhere yet. */
export function createControlHttp(options: ControlHttpOptions): { app: FastifyInstance; routes: Route[] } {
  const { settings, store, registry, log, page } = options;
  const served = [...options.routes, ...(page?.routes ?? []), createHealthRoute(options)];
  const routes = [...served, ...createSystemRoutes({ registry, described: served, title: 'Lachesis control' })];
  const app = createHttpServer({
    routes,
    authenticator: new Authenticator({
      directory: options.tokens ?? createTokenDirectory(store),
      monotonic: () => performance.now(),
    }),
    browserRules: {
      allowedHosts: new Set([...LOOPBACK_HOSTS, settings.host.toLowerCase(), ...settings.allowHosts]),
      allowedOrigins: new Set(settings.allowOrigins),
      hasPage: page !== undefined,
    },
    answerBrowser: page?.answer,
    compressesJson: true,
    metrics: new HttpMetrics(registry),
    audit: options.audit,
    log,
    maxBodyBytes: settings.maxBodyBytes,
    bodyBudgetBytes: settings.bodyBudgetBytes,
    quotaLimits: settings,
    ...options.bodies,
    findElsewhere,
  });
  return { app, routes };
}

function createHealthRoute({ settings, store, lookAround }: ControlHttpOptions): Route {
  const library = identifyLibrary(settings);
  return defineRoute({
    method: 'GET',
    path: '/health',
    scope: 'public',
    summary: 'Whether the server and its database answer, how engine and inference are, and which library this is.',
    reply: controlHealthSchema,
    handle: async ({ reply }): Promise<ControlHealth> => {
      const isThere = await store.now().then(
        () => true,
        () => false,
      );
      reply.code(isThere ? 200 : 503);
      return {
        ...{ status: isThere ? 'ok' : 'impaired', service: 'control', library, version: SERVER_VERSION },
        ...(await lookAround?.()),
      };
    },
  });
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
