import { createIdSource, LachesisError } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { listOpenRuns, listRunProcesses, type RunProcessRecord, type Store } from '@lachesis/store';
import { findEngine } from '@lachesis/tinker/engine';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { createFieldRules, type FieldGuards } from '../services/runs/config/field-rules.ts';
import { findRecipe } from '../services/runs/config/find-recipe.ts';
import { readRecipeFile } from '../services/runs/config/read-recipe-file.ts';
import { identifyLibrary } from '../services/library/identify-library.ts';
import { createConfigRoutes } from './routes/config.ts';
import type { ResolvedRun, RunConfigurator } from '../services/runs/config/configurator.ts';
import { readRunDetails } from '../services/runs/details.ts';
import type { RunDeps } from './routes/run-deps.ts';
import { createRunRoutes } from './routes/runs.ts';
import { createRunService } from '../services/runs/service.ts';
import type { ProcessTable } from '../services/runs/supervisor/process-table.ts';
import type { PlanRun, Preflight } from '../services/runs/supervisor/run-plan.ts';
import { DEFAULT_TIMES, type SupervisorTimes } from '../services/runs/supervisor/deps.ts';
import { findOtherHost } from '../services/runs/supervisor/find-other-host.ts';
import { Supervisor } from '../services/runs/supervisor/supervisor.ts';
import { openSystemProcesses } from '../services/runs/supervisor/system-processes.ts';
import type { Route } from '../http/route.ts';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import { SettingError } from '../http/settings/setting-error.ts';
import { findEnvironmentFile, saveReproduction, openControlAids, openEstimates } from './aids.ts';
import { createControlConfigurator, type ListedEnvironment } from '../services/runs/config/create-configurator.ts';
import { createControlFieldGuards } from '../services/runs/config/field-guards.ts';
import { createControlPreflight } from '../services/runs/preflight/open-preflight.ts';
import { createFieldReader } from '../services/runs/config/field-reader.ts';
import { createRunPlanner, placeRun, writeRunFiles } from '../services/runs/plan-run.ts';
import { readCommandJson } from '../services/runs/programs/read-command-json.ts';
import type { Program } from '../services/runs/programs/program.ts';
import { createControlStations, type ControlStations } from '../services/runs/stations.ts';
import { createServedImprovements, type ServedImprovements } from '../services/improve/served-improvements.ts';
import { superviseImprovements } from '../services/improve/supervise-improvements.ts';
import { createImprovementPlanner } from './improvements.ts';
import { makeWarmUp } from '../services/runs/warm-up.ts';
import { chooseVariables, rewardKeyOf } from '../services/runs/programs/process-variables.ts';

/** Parts of runs that a caller may put in place of the real ones. */
export interface RunReplacements {
  configurator?: (real: RunConfigurator) => RunConfigurator;
  fieldGuards?: (real: FieldGuards) => FieldGuards;
  /** What of the server's variables a process that loads an environment gets. */
  variables?: (chosen: Record<string, string>, whole: ControlRunsOptions['env']) => Record<string, string>;
  plan?: (real: PlanRun) => PlanRun;
  table?: (real: ProcessTable) => ProcessTable;
  stations?: (real: ControlStations) => ControlStations;
  preflight?: Preflight;
  times?: Partial<SupervisorTimes>;
  /** Finds the engine of a run; undefined is the managed service. */
  findEngineUrl?: () => Promise<string | undefined>;
  /** False for a server that looks after no run. */
  isSupervising?: boolean;
}

export interface ControlRunsOptions {
  settings: ControlSettings;
  store: Store;
  log: Logger;
  env: Readonly<Record<string, string | undefined>>;
  /** How to run this program; without it the server starts no runs. */
  program: Program | undefined;
  replace: RunReplacements;
  /** Brings what was recorded into the store. */
  drain: () => Promise<unknown>;
}

export interface ControlRuns {
  routes: Route[];
  deps: RunDeps;
  improvements: ServedImprovements;
  supervisor: Supervisor | undefined;
  /** The engine of this server; undefined is the managed service. Refused where there is none. */
  findEngineUrl(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Environments are looked for again after this time: somebody may be writing one. */
const LISTED_MS = 3_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const nextShortId = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)] ?? 'a').join('');
const monotonic = (): number => performance.now();

/** Joins what runs need: configuration, files, processes, and the one who looks after them. */
export async function openControlRuns(options: ControlRunsOptions): Promise<ControlRuns> {
  const { settings, store, log, env, program, replace } = options;
  const ids = createIdSource();
  const recipePath = findRecipePath(settings);
  const recipeName = recipePath === undefined ? 'default' : basename(recipePath).replace(/\.ya?ml$/, '');
  const limits = { cost: settings.maxCost, tokens: settings.maxTokens, steps: settings.maxSteps };
  const configurator = openEstimates({
    ...{ home: settings.home, store },
    limits,
    real: await openConfigurator(options, { recipePath, recipeName }),
  });
  const workingDirectory = process.cwd();
  const findEngineUrl = replace.findEngineUrl ?? (() => findEngineOf(options));
  const engines = new WeakMap<ResolvedRun, string | undefined>();
  const realPlan: PlanRun =
    program === undefined
      ? () => Promise.reject(new Error('This server does not know how to start processes.'))
      : createRunPlanner({
          home: settings.home,
          databaseUrl: settings.databaseUrl,
          program,
          env,
          passEnv: settings.passEnv,
          workingDirectory,
        });
  const plan = replace.plan?.(realPlan) ?? realPlan;
  const systemTable = openSystemProcesses();
  const table = replace.table?.(systemTable) ?? systemTable;
  const isOtherHost = (processes: readonly RunProcessRecord[]): string | undefined =>
    findOtherHost(processes, { host: table.host(), dialect: store.dialect });
  const isSupervising = replace.isSupervising ?? program !== undefined;
  const realStations = createControlStations({ store, instanceId: ids.next(), monotonic });
  const stations = replace.stations?.(realStations) ?? realStations;
  const variables = variablesOfCommands(options);
  const say = (message: string, facts: Readonly<Record<string, unknown>>): void => log.warn(facts, message);
  const planImprovement =
    program === undefined ? undefined : createImprovementPlanner({ settings, program, env, workingDirectory });
  const supervisor = isSupervising
    ? new Supervisor({
        ...{ store, library: identifyLibrary(settings), table, plan, ids, monotonic },
        findOtherHost: isOtherHost,
        preflight: replace.preflight ?? openPreflight(options, configurator, recipeName),
        fetch: stations.fetch,
        times: { ...DEFAULT_TIMES, ...replace.times },
        say,
        others: planImprovement && superviseImprovements({ store, table, plan: planImprovement, monotonic, say }),
      })
    : undefined;
  const runs = createRunService({
    ...{ store, ids, nextShortId, writeFiles: writeRunFiles, maxOpenRuns: settings.openRuns },
    resolve: (tenantId, request) => configurator.resolve(tenantId, request),
    async prepare(resolved) {
      if (program === undefined && replace.plan === undefined) throw cannotStart();
      engines.set(resolved, await findEngineUrl());
      return await choosePorts(store, resolved);
    },
    place: (shortId, resolved) =>
      placeRun({ home: settings.home, workingDirectory, shortId, resolved, engineUrl: engines.get(resolved) }),
    wake: () => supervisor?.wake(),
  });
  const improvements = createServedImprovements({
    ...{ store, env, workingDirectory, limits, drain: options.drain, maxOpen: settings.openRuns },
    wake: () => supervisor?.wake(),
    async prepare() {
      if (program === undefined) throw cannotStart();
      await findEngineUrl();
    },
  });
  const deps: RunDeps = { store, runs, configurator, monotonic };
  const aids = openControlAids({
    ...{ home: settings.home, recipePath, store, log, program, runs, configurator, stations },
    ...{ env, variables, gatewayUrl: settings.gatewayUrl?.replace(/\/+$/, '') },
    nextId: () => ids.next(),
    findOtherHost: isOtherHost,
  });
  supervisor?.start();
  return {
    routes: [...createConfigRoutes(deps), ...createRunRoutes(deps), ...aids.routes],
    deps,
    improvements,
    supervisor,
    findEngineUrl,
    async close() {
      await Promise.all([aids.close(), supervisor?.stop()]);
    },
  };
}

/** What the commands that load environments are given of this server's variables. */
function variablesOfCommands(
  { settings, env, replace }: ControlRunsOptions,
  passed: readonly string[] = settings.passEnv,
): Record<string, string> {
  const chosen = { ...chooseVariables(env, { role: 'env', passed }), LACHESIS_HOME: settings.home };
  return replace.variables?.(chosen, env) ?? chosen;
}

/** What loads an environment only to look at it writes nothing and starts nothing; it reads its parts, native ones too. */
const ONLY_READS = ['--permission', '--allow-fs-read=*', '--allow-addons', '--no-warnings'];

/** Without what the operator passes to environments: nothing is run yet. */
async function readOwnJson(options: ControlRunsOptions, given: readonly string[]): Promise<unknown> {
  const { program } = options;
  if (program === undefined) throw cannotStart();
  const reader = { ...program, arguments: [...ONLY_READS, ...program.arguments] };
  return await readCommandJson(reader, given, variablesOfCommands(options, []));
}

/** Who starts other processes than ours is not checked for ours. */
function openPreflight(options: ControlRunsOptions, configurator: RunConfigurator, recipeName: string): Preflight {
  const { settings, env, program, replace } = options;
  if (program === undefined || replace.plan !== undefined) return async () => ({ passed: true });
  return createControlPreflight({
    ...{ home: settings.home, program, variables: variablesOfCommands(options) },
    variablesFor: (given) => rewardKeyOf(given, env),
    engineKey: env['TINKER_API_KEY'],
    findFile: (name) => findEnvironmentFile(configurator, name),
    saveReproduction: (run) => saveReproduction(run, { configurator, recipeName }),
    warmUp: (run, signal) =>
      makeWarmUp(
        {
          program,
          environmentVariables: (given) => ({ ...variablesOfCommands(options), ...rewardKeyOf(given, env) }),
          trainerVariables: ({ details }) => trainerVariables(options, readRunDetails(details).engineUrl),
        },
        run,
        signal,
      ),
  });
}

/** As the trainer of a run is given them, see `createRunPlanner`. */
function trainerVariables({ settings, env }: ControlRunsOptions, engineUrl: string | null): Record<string, string> {
  return {
    ...chooseVariables(env, { role: 'trainer', passed: settings.passEnv }),
    LACHESIS_HOME: settings.home,
    ...(engineUrl === null ? {} : { TINKER_BASE_URL: engineUrl }),
  };
}

/** Recipes of the project, then those of the user. */
function findRecipePath({ recipe, home }: ControlSettings): string | undefined {
  if (recipe === undefined) return undefined;
  const found = findRecipe({
    ...{ given: recipe, exists: existsSync, folders: ['recipes', homePaths(home).recipes] },
    list: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
  });
  if ('path' in found) return found.path;
  throw new SettingError(found.problem);
}

async function openConfigurator(
  options: ControlRunsOptions,
  { recipePath, recipeName }: { recipePath: string | undefined; recipeName: string },
): Promise<RunConfigurator> {
  const { store, env, program, replace } = options;
  let listed: { at: number; found: Promise<ListedEnvironment[]> } | undefined;
  const listEnvironments = async (): Promise<ListedEnvironment[]> => {
    if (program === undefined) return [];
    if (listed === undefined || monotonic() - listed.at > LISTED_MS) {
      const found = readOwnJson(options, ['env', 'list', '--json']) as Promise<ListedEnvironment[]>;
      listed = { at: monotonic(), found };
      // One that failed is not kept.
      found.catch(() => (listed = undefined));
    }
    return await listed.found;
  };
  const ids = createIdSource();
  const recipeFile = await readRecipeFile(recipePath);
  const guards = createControlFieldGuards({ recipeFile, env, folder: process.cwd() });
  const real = createControlConfigurator({
    ...{ store, listEnvironments, now: Date.now, nextId: () => ids.next() },
    describeFields: createFieldReader((given) => readOwnJson(options, given)),
    rules: createFieldRules(replace.fieldGuards?.(guards) ?? guards, { recipeName }),
    ...{ recipeFile, recipeName },
  });
  return replace.configurator?.(real) ?? real;
}

async function findEngineOf({ settings, env }: ControlRunsOptions): Promise<string | undefined> {
  const { TINKER_BASE_URL: given, TINKER_API_KEY: key } = env;
  if (given !== undefined && given !== '') return given;
  const local = await findEngine({ home: settings.home });
  if (local?.state === 'ready') return local.url;
  // With a key and no address the managed service is meant.
  if (key !== undefined && key !== '') return undefined;
  throw new LachesisError({
    code: 'conflict',
    message: `there is no engine to train on${local === undefined ? '' : ` (one is here and is ${local.state})`}`,
    hint:
      'Three ways: `lachesis engine up` starts a small one on this machine; TINKER_BASE_URL=http://… names a Tinker ' +
      'server; TINKER_API_KEY=… uses the managed service. The last two are variables of the control server.',
  });
}

const cannotStart = (): LachesisError =>
  new LachesisError({
    code: 'conflict',
    message: 'this server was not started as a program, and cannot start processes',
    hint: 'Start it with `lachesis serve control`.',
  });

/** Those of the recipe when nobody has them, because people know them; else free ones. */
async function choosePorts(store: Store, { recipe }: ResolvedRun): Promise<{ api: number; trainer: number }> {
  const taken = new Set<number>();
  for (const { tenantId, runId } of await listOpenRuns({ store })) {
    for (const { port } of await listRunProcesses({ store, tenantId, runId })) if (port !== null) taken.add(port);
  }
  const [server] = recipe.openai as { base_url?: string }[];
  const api = await choosePort(portOf(recipe.env['rollout_server_url'], 8000), taken);
  return { api, trainer: await choosePort(portOf(server?.base_url, 8001), taken.add(api)) };
}

function portOf(url: unknown, otherwise: number): number {
  const port = typeof url === 'string' && URL.canParse(url) ? new URL(url).port : '';
  return port === '' ? otherwise : Number(port);
}

async function choosePort(wanted: number, taken: ReadonlySet<number>): Promise<number> {
  const found = taken.has(wanted) ? undefined : await tryPort(wanted);
  if (found !== undefined) return found;
  for (;;) {
    const free = await tryPort(0);
    if (free !== undefined && !taken.has(free)) return free;
  }
}

/** The port, when it can be listened on now. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      const found = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
