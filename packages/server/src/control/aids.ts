import { homePaths } from '@lachesis/protocol/home';
import { listTrainingRuns, type RunProcessRecord, type Store } from '@lachesis/store';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { createEstimateRoutes } from './routes/estimates.ts';
import type { ModelPrice, RunLimits } from '../services/runs/config/estimate-run.ts';
import { modelOf, withEstimates } from '../services/runs/config/with-estimates.ts';
import { createInferenceTestRoutes } from './routes/inference-tests.ts';
import { findTailOffset, readLogFrom } from '../services/runs/read-log.ts';
import type { ResolvedRun, RunConfigurator } from '../services/runs/config/configurator.ts';
import { readRunDetails } from '../services/runs/details.ts';
import type { RunService } from '../services/runs/service.ts';
import { createWhy } from '../services/runs/why/create-why.ts';
import { describeLearning } from '../services/runs/why/learning/describe-learning.ts';
import { createWhyRoutes } from './routes/why.ts';
import type { Route } from '../http/route.ts';
import { openInferenceTests } from '../services/runs/inference-test/open-inference-tests.ts';
import type { Program } from '../services/runs/programs/program.ts';
import type { ControlStations } from '../services/runs/stations.ts';
import { startRunWatch } from '../services/runs/watch-runs.ts';
import { findRunPrice } from '../services/models/read-prices.ts';

const TAIL_LINES = 200;
/** A log that grows faster than it is read is not followed for ever. */
const MOST_LINES = 10 * TAIL_LINES;

/** Prices of the user's table: read each time, because people edit it while the server runs. */
async function findPrice(home: string, model: string, env: ControlAidsOptions['env']): Promise<ModelPrice | undefined> {
  return findRunPrice(homePaths(home).prices, model, env);
}

/** A configurator with estimates from the user's prices and from earlier runs. */
export function openEstimates(options: {
  home: string;
  store: Store;
  real: RunConfigurator;
  limits: RunLimits;
  env?: ControlAidsOptions['env'];
}): RunConfigurator {
  const { home, store, real, limits, env = process.env } = options;
  return withEstimates(real, {
    limits,
    pricesPath: homePaths(home).prices,
    findPrice: (model) => findPrice(home, model, env),
    findSecondsPerStep: (tenantId, resolved) => findSecondsPerStep(store, tenantId, resolved),
  });
}

/** As earlier runs with the same environment, model and sizes took, the newest first. */
async function findSecondsPerStep(store: Store, tenantId: string, resolved: ResolvedRun): Promise<number[]> {
  const same = (values: Record<string, unknown>): string =>
    ['tokenizer_name', 'batch_size', 'max_token_length', 'lora_rank'].map((name) => String(values[name])).join(' ');
  const earlier = await listTrainingRuns({ store, tenantId, state: 'completed', limit: 50 });
  const runs = earlier.filter(({ environment, config }) => {
    const { values } = config as { values?: Record<string, unknown> };
    return environment === resolved.environment && values !== undefined && same(values) === same(resolved.config);
  });
  return runs.flatMap(({ startedAt, endedAt, details }) => {
    const { totalSteps } = readRunDetails(details);
    return startedAt === null || endedAt === null || totalSteps === 0 ? [] : (endedAt - startedAt) / 1000 / totalSteps;
  });
}

export async function findEnvironmentFile(configurator: RunConfigurator, name: string): Promise<string | undefined> {
  const found = (await configurator.listEnvironments()).find((entry) => entry.name === name);
  return found?.file_path;
}

export interface ControlAidsOptions {
  home: string;
  recipePath: string | undefined;
  /** The gateway that was started beside this server. */
  gatewayUrl: string | undefined;
  store: Store;
  log: Logger;
  env: Readonly<Record<string, string | undefined>>;
  /** What commands that load environments are given of it. */
  variables: Readonly<Record<string, string>>;
  program: Program | undefined;
  runs: RunService;
  configurator: RunConfigurator;
  stations: ControlStations;
  nextId: () => string;
  /** Another machine that processes of a run live on. */
  findOtherHost: (processes: readonly RunProcessRecord[]) => string | undefined;
}

/** Joins what helps with runs: estimates, tests of inference, and why a run waits. */
export function openControlAids(options: ControlAidsOptions): { routes: Route[]; close(): Promise<void> } {
  const { home, store, log, runs, configurator } = options;
  const lag = monitorEventLoopDelay({ resolution: 100 });
  lag.enable();
  const why = createWhy({
    fetch: options.stations.fetch,
    engineKey: options.env['TINKER_API_KEY'],
    readTail,
    now: Date.now,
    findOtherHost: options.findOtherHost,
    ownLag: () => Math.round(Math.max(0, lag.percentile(99) / 1e6 - 100)),
    processes: (run) => runs.processes(run),
    learning: (run) => describeLearning({ store, run }),
  });
  const tests = openInferenceTests(options);
  const watch = startRunWatch({
    ...{ store, why, log },
    findPrice: async ({ config }) => {
      return await findPrice(home, modelOf((config as unknown as Pick<ResolvedRun, 'recipe'>).recipe), options.env);
    },
    stopRun: (run, reason) => runs.stop(run.tenantId, run.shortId, reason),
  });
  return {
    routes: [
      ...createEstimateRoutes({ configurator }),
      ...createInferenceTestRoutes(tests),
      ...createWhyRoutes({ why, findRun: (tenantId, shortId) => runs.find(tenantId, shortId) }),
    ],
    async close() {
      lag.disable();
      await Promise.all([tests.close(), watch.stop()]);
    },
  };
}

/** A log is read in pieces; the newest lines are in the last. */
async function readTail(path: string): Promise<string[]> {
  if (path === '') return [];
  const lines: string[] = [];
  let offset = await findTailOffset(path, TAIL_LINES);
  for (;;) {
    const piece = await readLogFrom(path, offset, { isAll: true });
    if (piece.lines.length === 0 || lines.length > MOST_LINES) return lines.slice(-TAIL_LINES);
    lines.push(...piece.lines);
    offset = piece.offset;
  }
}
