import { createIdSource, createSlots, LachesisError, recipeSchema } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { listOpenRuns, type RunProcessRecord, type Store } from '@lachesis/store';
import { findEngine } from '@lachesis/tinker/engine';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { createFieldRules, type FieldGuards } from '../services/runs/config/field-rules.ts';
import { findRecipe } from '../services/runs/config/find-recipe.ts';
import { readRecipeFile } from '../services/runs/config/read-recipe-file.ts';
import { identifyLibrary } from '../services/library/identify-library.ts';
import { createConfigRoutes } from './routes/config.ts';
import { createEnvironmentRoutes } from './routes/environments.ts';
import { createStationProbe, type StationProbe } from '../services/runs/ask-stations.ts';
import { checkWithoutWriting } from '../services/runs/check-without-writing.ts';
import { createEnvironmentView, type EnvironmentView } from '../services/runs/look-at-environment.ts';
import { modelOf } from '../services/runs/config/with-estimates.ts';
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
import { findEnvironmentFile, openControlAids, openEstimates } from './aids.ts';
import { saveReproduction } from '../services/runs/config/save-reproduction.ts';
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
import { choosePorts, choosePortsAgain } from '../services/runs/choose-ports.ts';
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
  /** Whoever makes a run here is about to look after it in this process: no other server takes it meanwhile. */
  isStarter?: boolean;
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
  /** Whether engine and inference answer. */
  lookAround: StationProbe['look'];
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
  const findEngineUrl = replace.findEngineUrl ?? (() => findEngineOf(options));
  const probe = createStationProbe({
    ...{ findEngineUrl, fetch, monotonic, gatewayUrl: settings.gatewayUrl?.replace(/\/+$/, '') },
    engineKey: env['TINKER_API_KEY'],
    hasPolicy: async () => (await listOpenRuns({ store })).some(({ state }) => state === 'running'),
    isConfigured: ['OPENAI_BASE_URL', 'OPENROUTER_API_KEY'].some((name) => (env[name] ?? '') !== ''),
  });
  const configurator = openEstimates({
    ...{ home: settings.home, store },
    limits,
    real: await openConfigurator(options, { recipePath, recipeName, findFirstModel: probe.findFirstModel }),
  });
  const workingDirectory = process.cwd();
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
    findPorts: (run) => choosePortsAgain(store, run),
    place(shortId, resolved) {
      const places = placeRun({
        home: settings.home,
        workingDirectory,
        shortId,
        resolved,
        engineUrl: engines.get(resolved),
      });
      return replace.isStarter === true ? { ...places, details: { ...places.details, starter: table.self() } } : places;
    },
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
  const recipe = { name: recipeName, values: recipeSchema.parse(await readRecipeFile(recipePath)) };
  const deps: RunDeps = { store, home: settings.home, runs, configurator, recipe, monotonic };
  const aids = openControlAids({
    ...{ home: settings.home, recipePath, store, log, program, runs, configurator, stations },
    ...{ env, variables, gatewayUrl: settings.gatewayUrl?.replace(/\/+$/, '') },
    nextId: () => ids.next(),
    findOtherHost: isOtherHost,
  });
  supervisor?.start();
  return {
    routes: [
      ...createConfigRoutes(deps),
      ...createEnvironmentRoutes(openEnvironmentView(options, configurator)),
      ...createRunRoutes(deps),
      ...aids.routes,
    ],
    lookAround: probe.look,
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

/** Each is a process that loads an environment; many askers would slow the server down for all others. */
const CHECKS_AT_ONCE = 2;

/** The check of an environment, with the configuration of the next run where it is the one that is selected. */
function openEnvironmentView(options: ControlRunsOptions, configurator: RunConfigurator): EnvironmentView {
  const { settings, program } = options;
  const folder = homePaths(settings.home).inferenceTests;
  const slots = createSlots(CHECKS_AT_ONCE);
  return createEnvironmentView({
    listEnvironments: () => configurator.listEnvironments(),
    async runCheck(tenantId, name) {
      if (program === undefined) throw cannotStart();
      const { environmentFile } = await configurator.resolve(tenantId, { environment: name });
      return await checkWithoutWriting({
        ...{ folder, name, slots, settings: environmentFile, variables: variablesOfCommands(options, []) },
        program: { ...program, arguments: [...ONLY_READS, ...program.arguments] },
      });
    },
  });
}

/** Who starts other processes than ours is not checked for ours. */
function openPreflight(options: ControlRunsOptions, configurator: RunConfigurator, recipeName: string): Preflight {
  const { store, settings, env, program, replace } = options;
  if (program === undefined || replace.plan !== undefined) return async () => ({ passed: true });
  const findFile = (name: string): Promise<string | undefined> => findEnvironmentFile(configurator, name);
  return createControlPreflight({
    ...{ store, home: settings.home, program, variables: variablesOfCommands(options) },
    variablesFor: (given) => rewardKeyOf(given, env),
    ...{ engineKey: env['TINKER_API_KEY'], env },
    findFile,
    saveReproduction: (run) => saveReproduction(run, { findFile, recipeName }),
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
  {
    recipePath,
    recipeName,
    findFirstModel,
  }: { recipePath: string | undefined; recipeName: string; findFirstModel: StationProbe['findFirstModel'] },
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
    findModel: async (recipe) => {
      const named = modelOf(recipe);
      return named === 'engine' ? ((await findFirstModel()) ?? named) : named;
    },
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
