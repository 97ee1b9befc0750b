import { createIdSource, openRedactor } from '@lachesis/protocol';
import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createLibraryRoutes } from './routes/library.ts';
import type { LibraryDeps } from './routes/library-deps.ts';
import { createImprovementRoutes } from './routes/improvements.ts';
import { createJobRoutes } from './routes/jobs.ts';
import { createModelRoutes } from './routes/models.ts';
import { createOversightRoutes } from './routes/oversight.ts';
import { createRolloutRoutes } from './routes/rollouts.ts';
import { createSessionRoutes } from './routes/session.ts';
import { createAuditKeyRoute } from '../http/audit/audit-key-route.ts';
import { openAuditLog } from '../http/audit/open-audit-log.ts';
import type { TokenDirectory } from '../http/access/authenticate.ts';
import { createSessions } from '../http/access/sessions.ts';
import type { RequestBodyOptions } from '../http/request-bodies.ts';
import type { Route } from '../http/route.ts';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import { startLibraryMaintenance } from './library-maintenance.ts';
import { createAdapterShelf } from '../services/models/adapter-shelf.ts';
import type { EnginePlace } from '../services/models/bring-adapter.ts';
import { createDrain } from '../services/library/create-drain.ts';
import { createControlHttp } from './http.ts';
import { createPage } from './page/serve-page.ts';
import type { Program } from '../services/runs/programs/program.ts';
import { createTokenTexts } from '../services/runs/rollouts/open-token-text.ts';
import { openControlRuns, type ControlRuns, type RunReplacements } from './runs.ts';
import { openServerHome } from '../process/open-server-home.ts';

export interface BuiltControl {
  app: FastifyInstance;
  routes: readonly Route[];
  runs: ControlRuns;
  /** Lets go of everything: requests must have ended before. */
  close(): Promise<void>;
}

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface ControlReplacements {
  parts?: (real: LibraryDeps) => LibraryDeps;
  runs?: RunReplacements;
  bodies?: Pick<RequestBodyOptions, 'bodyLedger' | 'jsonReader'>;
  /** Instead of the tokens of the store. */
  tokens?: TokenDirectory;
}

/** Joins the real parts of the control process: store, blobs, redaction, outboxes, HTTP. */
export async function buildControl(options: {
  settings: ControlSettings;
  log: Logger;
  replace?: ControlReplacements;
  env?: Readonly<Record<string, string | undefined>>;
  /** How to run this program; without it no run can be started. */
  program?: Program | undefined;
  /** Where the page was built into; without it there is none. */
  pageFolder?: string | undefined;
  /** False for who answers a call or two and is gone: outboxes are read and old rows are let go of by servers. */
  hasChores?: boolean;
}): Promise<BuiltControl> {
  const { settings, log, replace = {}, env = process.env } = options;
  const home = await openServerHome({ settings, log });
  const { store } = home;
  try {
    const audit = await openAuditLog({ store, home: settings.home, by: 'control', log });
    const real: LibraryDeps = {
      store,
      blobs: (await home.serveBlobs()).blobs,
      ids: createIdSource(),
      redactor: openRedactor(settings, env),
      // Ed25519 signs a text in one way only, and no line of the audit log is this one: nobody is ever shown it.
      secret: createHash('sha256').update(audit.key.sign('import pieces')).digest(),
    };
    const wrapped = replace.parts?.(real) ?? real;
    const drain = createDrain({ parts: wrapped, home: settings.home, now: Date.now });
    const parts: LibraryDeps = { ...wrapped, drain };
    const registry = new Registry();
    const runs = await openControlRuns({
      ...{ settings, store, log, env, program: options.program, drain },
      replace: replace.runs ?? {},
    });
    const findEngine = async (): Promise<EnginePlace> => ({
      baseUrl: await runs.findEngineUrl(),
      apiKey: env['TINKER_API_KEY'],
    });
    const adapters = createAdapterShelf({ home: settings.home, findEngine, now: Date.now });
    const openTokenText = createTokenTexts({ env });
    const routes = [
      ...createLibraryRoutes({ ...parts, openTokenText, findEngine }),
      ...createModelRoutes({ ...parts, findEngine, adapters }),
      ...createImprovementRoutes({ store, blobs: parts.blobs, improvements: runs.improvements }),
      ...createJobRoutes(parts),
      ...runs.routes,
      ...createRolloutRoutes({
        deps: { store, blobs: parts.blobs, openTokenText },
        findRun: (tenantId, shortId) => runs.deps.runs.find(tenantId, shortId),
      }),
      ...createSessionRoutes(createSessions(store)),
      createAuditKeyRoute(audit.key),
      ...createOversightRoutes({ store, home: settings.home, auditKey: audit.key, now: Date.now }),
    ];
    const http = createControlHttp({
      ...{ settings, store, registry, audit, log, routes, bodies: replace.bodies, tokens: replace.tokens },
      page: options.pageFolder === undefined ? undefined : createPage(options.pageFolder),
      lookAround: runs.lookAround,
    });
    await http.app.ready();
    const chores =
      options.hasChores === false ? undefined : startLibraryMaintenance({ parts, drain, audit, settings, log });
    return {
      ...http,
      runs,
      async close() {
        await Promise.all([chores?.stop(), runs.close()]);
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
