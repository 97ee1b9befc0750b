import { createIdSource, isFinalRunState, LachesisError, type RunKind } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import {
  createTrainingRun,
  findTrainingRun,
  listRunProcesses,
  openHome,
  reopenTrainingRun,
  requestRunStop,
  type JsonValue,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyLibrary } from '../library/identify-library.ts';
import type { TrainerStatus } from '../training/rl/status.ts';
import { choosePorts, choosePortsAgain } from './choose-ports.ts';
import { toRunConfig, type ResolvedRun } from './config/configurator.ts';
import { saveReproduction } from './config/save-reproduction.ts';
import { readRunDetails } from './details.ts';
import { createRunPlanner, placeRun, writeRunFiles } from './plan-run.ts';
import { createControlPreflight } from './preflight/open-preflight.ts';
import type { Program } from './programs/program.ts';
import { createStory, type Story } from './run-story.ts';
import { createControlStations } from './stations.ts';
import { DEFAULT_TIMES, type SupervisorTimes } from './supervisor/deps.ts';
import type { ProcessTable } from './supervisor/process-table.ts';
import type { PlanRun, Preflight } from './supervisor/run-plan.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { openSystemProcesses } from './supervisor/system-processes.ts';
import { makeWarmUp } from './warm-up.ts';

export interface SuperviseHereOptions {
  /** Folder of Lachesis. */
  home: string;
  databaseUrl?: string | undefined;
  /** Name of the run. */
  run: string;
  /** How to run this program. */
  program: Program;
  /** What its processes are given: all of it, because who types the command lends them what it has. */
  env: Readonly<Record<string, string | undefined>>;
  /** Whether the engine, the environment and its rewards are looked at before the first process. */
  isChecked: boolean;
  /** The recipe's name, where it has one. */
  recipeName?: string | undefined;
  /** The file of an environment; undefined where it has none. */
  findFile: (environment: string) => Promise<string | undefined>;
  /** Ends the run in order: the step under way is finished and saved. */
  signal: AbortSignal;
  /** Ends everything at once. */
  hurry?: AbortSignal | undefined;
  /** What happens, as sentences for a person. */
  onEvent: (sentence: string) => void;
  /** Lines of the trainer. */
  onLine: (line: string) => void;
  replace?: TrainReplacements | undefined;
}

export interface TrainOptions extends SuperviseHereOptions {
  kind: RunKind;
  resolved: ResolvedRun;
  /** Further words for the environment's command. */
  environmentArguments?: readonly string[] | undefined;
  /** Absent for the managed service. */
  engineUrl: string | undefined;
  /** Listen on free ports instead of those of the recipe. */
  anyPort: boolean;
  /** Where the processes work; here when absent. */
  workingDirectory?: string | undefined;
}

/** Parts that a caller may put in place of the real ones. */
export interface TrainReplacements {
  plan?: (real: PlanRun) => PlanRun;
  times?: Partial<SupervisorTimes>;
}

/** Somebody waits at the terminal: looked at more often, and a step under way may take a minute to be finished. */
const TIMES: SupervisorTimes = {
  ...DEFAULT_TIMES,
  tickMs: 250,
  graceMs: { env: 15_000, trainer: 60_000, api: 15_000 },
};
const POLL_MS = 200;

/**
 * Makes a run and looks after it here, until it has ended: the same row and the same supervisor as those of a control
 * server, whose commands see it. What it starts ends with this process; who comes next takes the run up. Resolves with the
 * trainer's last word. A name that was used before goes on with that run.
 */
export async function train(options: TrainOptions): Promise<TrainerStatus | undefined> {
  return await withHome(options, async (place) => await superviseHere(options, place, await openRun(options, place)));
}

/** Goes on with a run that is there, here, with the recipe it had. Refused while somebody looks after it. */
export async function resumeHere(options: SuperviseHereOptions): Promise<{
  run: TrainingRun;
  status: TrainerStatus | undefined;
}> {
  return await withHome(options, async (place) => {
    const { store, table } = place;
    const key = { store, tenantId: LOCAL_TENANT, shortId: options.run };
    const run = await findTrainingRun(key);
    if (run === undefined) throw new LachesisError({ code: 'not-found', message: `there is no run ${options.run}` });
    await refuseHeld(run, place);
    const details = { ...readRunDetails(run.details), starter: table.self() } as unknown as JsonValue;
    const ports = isFinalRunState(run.state) ? await choosePortsAgain(store, run) : {};
    await reopenTrainingRun({ store, tenantId: run.tenantId, runId: run.runId, details, ports });
    const opened = (await findTrainingRun(key)) ?? run;
    const status = await superviseHere(options, place, opened);
    return { run: (await findTrainingRun(key)) ?? opened, status };
  });
}

interface Place {
  store: Store;
  table: ProcessTable;
}

async function withHome<T>(
  { home, databaseUrl }: Pick<SuperviseHereOptions, 'databaseUrl' | 'home'>,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  await mkdir(homePaths(home).logs, { recursive: true });
  const { store } = await openHome({ home, databaseUrl });
  try {
    return await work({ store, table: openSystemProcesses({ endsWithUs: true }) });
  } finally {
    await store.close();
  }
}

async function superviseHere(
  options: SuperviseHereOptions,
  { store, table }: Place,
  run: TrainingRun,
): Promise<TrainerStatus | undefined> {
  const { signal } = options;
  const key = { store, tenantId: run.tenantId, runId: run.runId };
  const stop = (): void => void requestRunStop({ ...key, reason: 'at the terminal' }).catch(() => undefined);
  const kill = (): void => void killAll({ ...key, table }).then(stop, stop);
  const story = await createStory({ store, run, onEvent: options.onEvent, onLine: options.onLine });
  const { supervisor, lastStatus } = openSupervisor(options, { store, table, run });
  signal.addEventListener('abort', stop, { once: true });
  options.hurry?.addEventListener('abort', kill, { once: true });
  if (signal.aborted) stop();
  supervisor.start();
  try {
    return judgeEnd(await followToEnd(key, story), lastStatus());
  } finally {
    signal.removeEventListener('abort', stop);
    options.hurry?.removeEventListener('abort', kill);
    await supervisor.stop();
  }
}

async function followToEnd(key: Parameters<typeof findTrainingRun>[0], story: Story): Promise<TrainingRun> {
  for (;;) {
    const run = await findTrainingRun(key);
    if (run === undefined) throw new Error('The row of the run is gone.');
    await story.look(run);
    if (isFinalRunState(run.state)) return run;
    await sleep(POLL_MS);
  }
}

function judgeEnd(run: TrainingRun, status: TrainerStatus | undefined): TrainerStatus | undefined {
  if (run.state === 'failed' && status?.state !== 'failed') throw new Error(run.reason ?? 'it failed');
  return status;
}

/** The row of the run: a new one, or the one of that name, with what was asked for now. */
async function openRun(options: TrainOptions, { store, table }: Place): Promise<TrainingRun> {
  const { home, run: name, resolved, workingDirectory = process.cwd() } = options;
  const tenantId = LOCAL_TENANT;
  const ports = await choosePorts(store, resolved, { isAny: options.anyPort });
  const config = toRunConfig(resolved);
  const places = placeRun({ home, workingDirectory, shortId: name, resolved, engineUrl: options.engineUrl });
  const details = {
    ...places.details,
    environmentArguments: options.environmentArguments ?? [],
    starter: table.self(),
  } as unknown as JsonValue;
  const earlier = await findTrainingRun({ store, tenantId, shortId: name });
  if (earlier !== undefined) {
    await refuseHeld(earlier, { store, table });
    const { runId } = earlier;
    await reopenTrainingRun({
      store,
      tenantId,
      runId,
      config,
      details,
      ports: { api: ports.api, trainer: ports.trainer },
    });
  }
  const run =
    (await findTrainingRun({ store, tenantId, shortId: name })) ??
    (await createTrainingRun({
      ...{ store, tenantId, environment: resolved.environment, kind: options.kind, config, ids: createIdSource() },
      nextShortId: () => name,
      details: () => details,
      processes: () => ({
        api: { logPath: places.logs.api, port: ports.api },
        trainer: { logPath: places.logs.trainer, port: ports.trainer },
        env: { logPath: places.logs.env, port: null },
      }),
    }));
  await writeRunFiles(run, ports);
  return run;
}

async function refuseHeld(run: TrainingRun, { store, table }: Place): Promise<void> {
  if (run.holder === null || isFinalRunState(run.state)) return;
  const holder = run.holder.slice(run.holder.indexOf('@') + 1);
  if (table.isGone(holder) || (run.leaseExpiresAt ?? 0) <= (await store.now())) return;
  throw new LachesisError({
    code: 'conflict',
    message: `the run ${run.shortId} goes on already, looked after by ${holder}`,
    hint: `\`lachesis runs watch ${run.shortId}\` shows it, \`lachesis stop ${run.shortId}\` ends it; --run gives another name.`,
  });
}

function openSupervisor(
  options: SuperviseHereOptions,
  { store, table, run }: Place & { run: TrainingRun },
): { supervisor: Supervisor; lastStatus: () => TrainerStatus | undefined } {
  const { home, databaseUrl, program, env, replace = {} } = options;
  const ids = createIdSource();
  const monotonic = (): number => performance.now();
  const stations = createControlStations({ store, instanceId: ids.next(), monotonic });
  const realPlan = createRunPlanner({
    ...{ home, databaseUrl, program, env, passEnv: [], passesAll: true },
    workingDirectory: readRunDetails(run.details).workingDirectory,
  });
  let status: TrainerStatus | undefined;
  /** What the trainer says of itself is read on its way to the supervisor. */
  const listen: typeof fetch = async (input, init) => {
    const reply = await stations.fetch(input, init);
    const url = input instanceof Request ? input.url : String(input);
    if (reply.ok && url.endsWith('/v1/trainer')) status = (await reply.clone().json()) as TrainerStatus;
    return reply;
  };
  const supervisor = new Supervisor(
    {
      ...{ store, library: identifyLibrary({ home, databaseUrl }), table, ids, monotonic, fetch: listen },
      findOtherHost: () => undefined,
      plan: replace.plan?.(realPlan) ?? realPlan,
      preflight: createCheck(options, store),
      times: { ...TIMES, ...replace.times },
      say: (message) => options.onEvent(message),
    },
    { isMine: ({ runId }) => runId === run.runId },
  );
  return { supervisor, lastStatus: () => status };
}

/** A demo knows what it starts; its run is written down all the same. */
function createCheck(options: SuperviseHereOptions, store: Store): Preflight {
  const { home, program, findFile, onEvent } = options;
  const env = givenOf(options.env);
  const write = (run: TrainingRun): Promise<void> =>
    saveReproduction(run, { findFile, recipeName: options.recipeName ?? null });
  if (!options.isChecked) {
    return async (run) => {
      await write(run);
      return { passed: true };
    };
  }
  const variables = { ...env, LACHESIS_HOME: home };
  return createControlPreflight({
    ...{ store, home, program, variables, findFile, saveReproduction: write, engineKey: env['TINKER_API_KEY'] },
    ...{ variablesFor: () => ({}), env },
    warmUp: (run, signal) =>
      makeWarmUp(
        {
          program,
          environmentVariables: () => variables,
          trainerVariables: ({ details }) => {
            const { engineUrl } = readRunDetails(details);
            return { ...variables, ...(engineUrl === null ? {} : { TINKER_BASE_URL: engineUrl }) };
          },
          onEvent,
        },
        run,
        signal,
      ),
  });
}

const givenOf = (env: SuperviseHereOptions['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

async function killAll(options: { store: Store; tenantId: string; runId: string; table: ProcessTable }): Promise<void> {
  for (const { pid } of await listRunProcesses(options)) {
    if (pid !== null) options.table.signal(pid, 'SIGKILL', 'group');
  }
}
