import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { InferenceStation } from './create-station.ts';
import { openAuditLog } from '../http/audit/open-audit-log.ts';
import type { Route } from '../http/route.ts';
import type { InferenceSettings } from '../http/settings/inference-settings.ts';
import { fitInFlight } from '../process/fit-in-flight.ts';
import { createInferenceHttp } from '../http/inference-http.ts';
import { openInference, type InferenceReplacements } from './open-inference.ts';
import { openServerHome } from '../process/open-server-home.ts';

export interface BuiltInference {
  app: FastifyInstance;
  routes: readonly Route[];
  station: InferenceStation;
  /** Lets go of everything: requests must have ended before. */
  close(): Promise<void>;
}

/** The inference station alone, with its store and its HTTP side. */
export async function buildInference(options: {
  settings: InferenceSettings;
  log: Logger;
  replace?: InferenceReplacements;
}): Promise<BuiltInference> {
  const { log, replace } = options;
  const settings = fitInFlight(options.settings, { log });
  const home = await openServerHome({ settings, log });
  const { store } = home;
  try {
    const registry = new Registry();
    const audit = await openAuditLog({ store, home: settings.home, by: 'inference', log });
    const station = await openInference({ settings, home, registry, log, replace });
    const { routes, misdirected } = station;
    const http = createInferenceHttp({
      settings,
      store,
      registry,
      audit,
      log,
      routes,
      misdirected,
      title: 'Lachesis inference',
      run: settings.run,
      // What is passed on to a provider is nobody's; what is sampled here is made of a tenant's weights.
      tenant: settings.upstreamUrl === undefined ? settings.tenant : undefined,
    });
    await http.app.ready();
    return {
      ...http,
      station,
      async close() {
        await station.close();
        await http.app.close();
        await audit.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
