import { toOpenAiError, type ErrorBody } from '@lachesis/protocol';
import type { Store } from '@lachesis/store';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { splitCredential } from './access/split-credential.ts';
import { Authenticator } from './access/authenticate.ts';
import { LOOPBACK_HOSTS } from './access/check-browser.ts';
import { LOCAL_PRINCIPAL } from './access/principal.ts';
import { createTokenDirectory } from './access/token-directory.ts';
import type { AuditSink } from './audit/audit-sink.ts';
import { createHttpServer } from './create-http-server.ts';
import { createSystemRoutes } from './create-system-routes.ts';
import type { QuotaLimits } from './access/quotas.ts';
import type { Route } from './route.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import type { InferenceSettings } from './settings/inference-settings.ts';

export interface InferenceHttpOptions {
  settings: Pick<InferenceSettings, 'host' | 'allowHosts' | 'allowOrigins' | 'maxBodyBytes' | 'bodyBudgetBytes'> &
    QuotaLimits;
  store: Store;
  /** Its own when left out. */
  registry?: Registry;
  audit: AuditSink;
  log: Logger;
  /** The routes of the stations in this process. */
  routes: readonly Route[];
  /** Answered, and not described. */
  misdirected?: readonly Route[];
  title: string;
  /** The run whose policy is served; undefined for a server that belongs to no run. */
  run?: string | undefined;
  /** False where no model is asked: there an address with a key in it, or a provider's key, means nothing. */
  hasProvider?: boolean;
  /** Whose weights these are; undefined for a server that has none of its own. */
  tenant?: string | undefined;
}

/** The HTTP side of a process that serves completions, with or without a trainer beside them. It listens nowhere yet. */
export function createInferenceHttp(options: InferenceHttpOptions): { app: FastifyInstance; routes: Route[] } {
  const { settings, store, registry = new Registry(), log, title } = options;
  const served = [...options.routes];
  const system = createSystemRoutes({ registry, described: served, title });
  const routes = [...served, ...system, ...(options.misdirected ?? [])];
  const app = createHttpServer({
    routes,
    authenticator: new Authenticator({ directory: openWhileEmpty(store), monotonic: () => performance.now() }),
    browserRules: {
      allowedHosts: new Set([...LOOPBACK_HOSTS, settings.host.toLowerCase(), ...settings.allowHosts]),
      allowedOrigins: new Set(settings.allowOrigins),
    },
    metrics: new HttpMetrics(registry),
    audit: options.audit,
    log,
    maxBodyBytes: settings.maxBodyBytes,
    bodyBudgetBytes: settings.bodyBudgetBytes,
    quotaLimits: settings,
    hasProvider: options.hasProvider ?? true,
    ...{ run: options.run, tenant: options.tenant },
  });
  // Also what is refused before a route is reached: OpenAI's clients read `type` and `param` of every refusal.
  app.addHook('preSerialization', async (_request, reply, payload) =>
    reply.statusCode >= 400 && isErrorBody(payload)
      ? { ...payload, ...toOpenAiError(payload, reply.statusCode) }
      : payload,
  );
  return { app, routes };
}

/**
 * OpenAI's clients always send a key. Where no token exists, which is on loopback alone, any key is as good as none. A key
 * may name a trajectory behind the token.
 */
function openWhileEmpty(store: Store): ReturnType<typeof createTokenDirectory> {
  const directory = createTokenDirectory(store);
  return {
    ...directory,
    find: async (key) =>
      (await directory.find(splitCredential(key).token)) ?? ((await directory.count()) === 0 ? LOCAL_PRINCIPAL : null),
  };
}

function isErrorBody(payload: unknown): payload is ErrorBody {
  if (typeof payload !== 'object' || payload === null || !('error' in payload)) return false;
  const { error } = payload;
  return typeof error === 'object' && error !== null && 'message' in error && !('type' in error);
}
