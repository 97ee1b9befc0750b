import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { listChildPids, readProcessTree } from '../../../kit/read-process-tree.ts';
import { startProcess } from '../../../kit/start-process.ts';
import type { RunningProcess } from '../../../kit/start-process.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';

export const CLI = fileURLToPath(new URL('../../../../packages/cli/dist/main.js', import.meta.url));
const MUTANT_PARENT = fileURLToPath(new URL('mutant-parent-process.ts', import.meta.url));

export interface SubjectOptions {
  readonly port: number;
  readonly home: string;
  /** SQLite in the home without it. */
  readonly databaseUrl?: string;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** The module that serves instead of the product's own; a file of `mutants/`. */
  readonly mutant?: string;
  /** Further settings, by the name of their environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The built command line of another version, asked for at each start; this repository's own by default. */
  readonly cli?: () => string;
  /** Put before the command, e.g. to enter a network namespace; must become the program it starts. */
  readonly through?: readonly string[];
}

/** child: the serving process; parent: the one with the socket; tree: both at once. */
export type Victim = 'child' | 'parent' | 'tree';

/** The server under test. It keeps its port and its home over all its lives. */
export interface Subject {
  readonly port: number;
  /** kill -9. What the product does not start again by itself is started by us. */
  kill(victim: Victim): Promise<void>;
  /** Ends it as an operator does, with a warning, and starts it again once it has gone. */
  restart(): Promise<void>;
  isRunning(): boolean;
  /** The serving process of this moment, if there is one. */
  childPid(): number | undefined;
  logs(): string;
  end(): Promise<void>;
}

/** Starts the built command line, or a mutant of it, and waits until it is healthy. */
export async function startSubject(options: SubjectOptions): Promise<Subject> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run \`pnpm build\` first`);
  let serving = await spawnServer(options);
  const replace = async (pids: readonly number[]): Promise<void> => {
    for (const pid of pids) killNow(pid);
    await serving.exited;
    serving = await spawnServer(options);
  };
  const waitUntilHealthy = async (): Promise<void> => {
    const url = `http://${options.host ?? '127.0.0.1'}:${options.port}/health`;
    await waitForHttp({ url, process: serving, timeoutMs: 60_000 });
  };
  const subject: Subject = {
    port: options.port,
    async kill(victim) {
      if (victim === 'tree') return replace(readProcessTree(serving.pid).pids);
      if (victim === 'parent') return replace([serving.pid]);
      const child = listChildPids(serving.pid)[0];
      if (child === undefined) throw new Error(`the server has no child at the moment:\n${serving.logs()}`);
      killNow(child);
    },
    async restart() {
      await serving.stop({ graceMs: 20_000 });
      serving = await spawnServer(options);
      await waitUntilHealthy();
    },
    isRunning: () => serving.isRunning(),
    childPid: () => listChildPids(serving.pid)[0],
    logs: () => serving.logs(),
    async end() {
      // Its data is thrown away, so nothing is gained by a graceful end.
      for (const pid of readProcessTree(serving.pid).pids) killNow(pid);
      if (serving.isRunning()) await serving.exited;
    },
  };
  try {
    await waitUntilHealthy();
  } catch (error) {
    await subject.end();
    throw error;
  }
  return subject;
}

function spawnServer(options: SubjectOptions): Promise<RunningProcess> {
  const { mutant, through = [], cli = () => CLI } = options;
  const program = mutant === undefined ? [cli(), 'serve', 'trajectory-api'] : [MUTANT_PARENT, mutant];
  const [command = process.execPath, ...args] = [...through, process.execPath, ...program];
  return startProcess({
    command,
    args,
    name: mutant === undefined ? 'lachesis serve trajectory-api' : `mutant ${mutant}`,
    env: {
      LACHESIS_HOST: options.host ?? '127.0.0.1',
      LACHESIS_TRAJECTORY_API_PORT: String(options.port),
      LACHESIS_HOME: options.home,
      DATABASE_URL: options.databaseUrl,
      LACHESIS_LOG_LEVEL: 'warn',
      ...options.settings,
    },
  });
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself between being found and being killed.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
