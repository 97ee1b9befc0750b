import type { Registry } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import { Authenticator } from '../http/access/authenticate.ts';
import { LOOPBACK_HOSTS } from '../http/access/check-browser.ts';
import { createTokenDirectory } from '../http/access/token-directory.ts';
import { createHttpServer } from '../http/create-http-server.ts';
import { createSystemRoutes } from '../http/create-system-routes.ts';
import type { Route } from '../http/route.ts';
import { HttpMetrics } from '../http/metrics/http-metrics.ts';
import { createBatchRoutes } from './atropos/batch-routes.ts';
import { createPushRoutes } from './atropos/push-routes.ts';
import { createRegistrationRoutes } from './atropos/registration-routes.ts';
import { createStatusRoutes } from './atropos/status-routes.ts';
import { findElsewhere } from './find-elsewhere.ts';
import { runMaintenance } from './maintenance.ts';
import { createNativeBatchRoutes } from './native/batch-routes.ts';
import { createGroupRoutes } from './native/group-routes.ts';
import { createViewRoutes } from './native/view-routes.ts';
import type { TrajectoryApiDeps } from './deps.ts';
import { createHealthRoute } from './health-route.ts';

const HOUSE_KEEPING_MS = 1_000;

export interface TrajectoryApi {
  app: FastifyInstance;
  routes: readonly Route[];
  /** Ends the timers and waits for what is being committed; the parts are closed by who made them. */
  stop(): Promise<void>;
}

/** Every route of the station, both APIs. */
export function createTrajectoryApiRoutes(deps: TrajectoryApiDeps, registry: Registry): Route[] {
  const served = [
    ...createStatusRoutes(deps),
    ...createRegistrationRoutes(deps),
    ...createPushRoutes(deps),
    ...createBatchRoutes(deps),
    ...createGroupRoutes(deps),
    ...createNativeBatchRoutes(deps),
    ...createViewRoutes(deps),
    createHealthRoute(deps),
  ];
  return [...served, ...createSystemRoutes({ registry, described: served, title: 'Lachesis trajectory API' })];
}

export function createTrajectoryApi(deps: TrajectoryApiDeps, registry: Registry): TrajectoryApi {
  const { settings, runs, log, store, monotonic } = deps;
  const routes = createTrajectoryApiRoutes(deps, registry);
  const app = createHttpServer({
    routes,
    authenticator: new Authenticator({ directory: createTokenDirectory(store), monotonic }),
    browserRules: {
      allowedHosts: new Set([...LOOPBACK_HOSTS, settings.host.toLowerCase(), ...settings.allowHosts]),
      allowedOrigins: new Set(settings.allowOrigins),
    },
    metrics: new HttpMetrics(registry),
    audit: deps.audit,
    log,
    maxBodyBytes: settings.maxBodyBytes,
    bodyBudgetBytes: settings.bodyBudgetBytes,
    quotaLimits: settings,
    findElsewhere,
    run: settings.run,
  });

  let isMaintaining = false;
  const timer = setInterval(() => {
    if (isMaintaining) return;
    isMaintaining = true;
    const options = {
      silentMs: settings.silentSeconds * 1000,
      disconnectsSilent: !settings.strictAtropos,
      monotonic,
      isGone: deps.isGone,
    };
    void Promise.all(runs.all().map((run) => runMaintenance(run, options)))
      .catch((error: unknown) => log.warn({ err: error }, 'house-keeping failed; it is tried again'))
      .finally(() => {
        isMaintaining = false;
        runs.dropIdle();
      });
  }, HOUSE_KEEPING_MS);
  timer.unref();

  return {
    app,
    routes,
    async stop() {
      clearInterval(timer);
      await runs.settle();
    },
  };
}
