import { join } from 'node:path';

import { createTrajectoryClient } from '@lachesis/sdk';
import type { TrajectoryClient } from '@lachesis/sdk';

import { findFreePort } from '../../kit/find-free-port.ts';
import { LACHESIS_FROM_SOURCES } from '../../kit/lachesis-command.ts';
import { readProcessTree } from '../../kit/read-process-tree.ts';
import { startProcess } from '../../kit/start-process.ts';
import type { ProcessExit, RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import type { Place } from '../first-run/fresh-machine.ts';
import { openLachesis } from '../first-run/lachesis.ts';

/** The recipe of the tiny model; flags say what is other. */
const RECIPE = 'cpu_tiny';
/** Without the wait for weights: a process answers before it has found them. */
const READY_MS = 240_000;

/** In the order in which they are ended. */
const STATIONS = ['environment', 'trainer', 'trajectory API'] as const;
export type Station = (typeof STATIONS)[number];

export interface OpenLoopOptions {
  readonly engineUrl: string;
  /** Where rows, blobs, journals and metrics are kept. */
  readonly home: string;
  readonly run: string;
  /** A file of an environment. */
  readonly environment: string;
  /**
   * Somebody who installed the packages: the commands are those, typed in this folder with its variables and no others, and the
   * servers ask for a token. The sources of this repository when left out.
   */
  readonly place?: Place;
  /** `--env.*` for trainer and environment alike, then those of each. */
  readonly sharedFlags: readonly string[];
  readonly trainerFlags: readonly string[];
  readonly environmentFlags?: readonly string[];
  /** Variables of the trainer alone, such as those of a seeded fault. */
  readonly trainerVariables?: Readonly<Record<string, string>>;
}

/** The trajectory API, the trainer with inference, and the environment: three commands, as a person starts them. */
export interface Loop extends AsyncDisposable {
  readonly apiUrl: string;
  readonly inferenceUrl: string;
  readonly client: TrajectoryClient;
  /** What the servers ask for; undefined where they ask for nothing. */
  readonly token: string | undefined;
  start(station: Station): Promise<void>;
  /** SIGKILL for the command and all it has started, at once; nothing of it is left to say goodbye. */
  kill(station: Station): Promise<void>;
  /** Asks it to end, and waits. */
  end(station: Station): Promise<void>;
  logs(station: Station): string;
  /** Who has ended without being asked to, the environment first. One that has made its steps ends by itself, with code 0. */
  findEnded(): { readonly station: Station; readonly exit: ProcessExit } | undefined;
  cpuSeconds(): number;
}

export async function openLoop(options: OpenLoopOptions): Promise<Loop> {
  const [apiPort, trainerPort] = [await findFreePort(), await findFreePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}/run/${options.run}`;
  const inferenceUrl = `http://127.0.0.1:${trainerPort}`;
  const commands = options.place === undefined ? fromSources(options) : await fromPackages(options, options.place);
  const { token } = commands;
  const key = token === undefined ? [] : ['--openai.0.api_key', token];
  const places = ['--env.rollout_server_url', apiUrl, '--openai.0.base_url', `${inferenceUrl}/v1`, ...key];
  const shared = ['--config', RECIPE, ...places, ...options.sharedFlags];
  const at = (port: number): string[] => ['--host', '127.0.0.1', '--port', String(port)];
  const plans: Record<Station, { arguments: readonly string[]; readyUrl?: string }> = {
    'trajectory API': {
      arguments: ['serve', 'trajectory-api', ...at(apiPort)],
      readyUrl: `http://127.0.0.1:${apiPort}/`,
    },
    trainer: {
      arguments: ['serve', 'trainer', ...at(trainerPort), '--run', options.run, ...shared, ...options.trainerFlags],
      readyUrl: `${inferenceUrl}/v1/trainer`,
    },
    environment: {
      arguments: ['env', 'serve', options.environment, ...shared, ...(options.environmentFlags ?? [])],
    },
  };
  const running = new Map<Station, RunningProcess>();
  const ended = new Map<Station, ProcessExit>();
  /** Output of the lives before. */
  const past = new Map<Station, string>();
  let spentSeconds = 0;

  const take = (station: Station): RunningProcess | undefined => {
    const process = running.get(station);
    running.delete(station);
    if (process === undefined) return undefined;
    spentSeconds += readProcessTree(process.pid).cpuSeconds;
    return process;
  };
  const saveLogs = (station: Station, { logs }: RunningProcess): void =>
    void past.set(station, `${past.get(station) ?? ''}${logs()}`);
  const end = async (station: Station): Promise<void> => {
    const process = take(station);
    await process?.stop({ graceMs: 30_000 });
    if (process !== undefined) saveLogs(station, process);
  };

  return {
    apiUrl,
    inferenceUrl,
    client: createTrajectoryClient({ url: apiUrl, ...(token === undefined ? {} : { token }) }),
    token,
    async start(station) {
      const plan = plans[station];
      const variables = station === 'trainer' ? options.trainerVariables : undefined;
      const started = await commands.start(station, plan.arguments, variables ?? {});
      running.set(station, started);
      ended.delete(station);
      void started.exited.then((exit) => running.get(station) === started && ended.set(station, exit));
      if (plan.readyUrl !== undefined) {
        await waitForHttp({ url: plan.readyUrl, process: started, timeoutMs: READY_MS, everyMs: 100, accepts: [401] });
      }
    },
    async kill(station) {
      const victim = take(station);
      if (victim === undefined) throw new Error(`the ${station} does not run`);
      // The parent first: it would start its child again.
      for (const pid of readProcessTree(victim.pid).pids) killNow(pid);
      await victim.exited;
      saveLogs(station, victim);
    },
    end,
    findEnded() {
      for (const station of STATIONS) {
        const exit = ended.get(station);
        if (exit !== undefined) return { station, exit };
      }
      return undefined;
    },
    logs: (station) => `${past.get(station) ?? ''}${running.get(station)?.logs() ?? ''}`,
    cpuSeconds: () =>
      [...running.values()].reduce((sum, { pid }) => sum + readProcessTree(pid).cpuSeconds, spentSeconds),
    async [Symbol.asyncDispose]() {
      for (const station of STATIONS) await end(station);
    },
  };
}

/** How the stations of a loop are started. */
interface Commands {
  readonly token: string | undefined;
  start(
    station: Station,
    args: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<RunningProcess>;
}

function fromSources({ home, engineUrl }: OpenLoopOptions): Commands {
  const [command, ...words] = LACHESIS_FROM_SOURCES;
  return {
    token: undefined,
    start: (station, args, variables) =>
      startProcess({
        ...{ name: `the ${station}`, command, args: [...words, ...args] },
        // A folder of its own: an environment writes what it keeps where it was started.
        cwd: home,
        env: {
          ...{ LACHESIS_HOME: home, TINKER_BASE_URL: engineUrl, TINKER_API_KEY: undefined },
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(home, 'compiled'),
          ...variables,
        },
      }),
  };
}

async function fromPackages({ run, engineUrl }: OpenLoopOptions, place: Place): Promise<Commands> {
  const open = (variables: Readonly<Record<string, string>>): ReturnType<typeof openLachesis> =>
    openLachesis({ ...place, env: { ...place.env, ...variables } }, () => undefined);
  // From the first token on every server of a home asks for one.
  const made = await open({}).json<{ token: string }>(['token', 'create', '--name', run, '--scope', 'admin']);
  return {
    token: made.token,
    start: (_, args, variables) =>
      open({ TINKER_BASE_URL: engineUrl, LACHESIS_TOKEN: made.token, ...variables }).begin(args),
  };
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended between the look and the kill.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
