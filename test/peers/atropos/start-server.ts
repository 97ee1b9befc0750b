import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { listChildPids } from '../../kit/read-process-tree.ts';
import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** Longer than a child needs to come back on a busy machine of two cores. */
const CHILD_TIMEOUT_MS = 15_000;

export interface StartServerOptions {
  /** A free one by default. */
  readonly port?: number;
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Where it keeps its data; a temporary folder, removed at the end, by default. */
  readonly home?: string;
  /** A Postgres; SQLite in the home otherwise. */
  readonly databaseUrl?: string;
  /** Behave exactly as the original, deviations off. */
  readonly strict?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further arguments of `serve trajectory-api`. */
  readonly args?: readonly string[];
}

/** Our trajectory API as a user starts it: the built command line, a parent with the socket and a child that serves. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  /** The parent. */
  readonly pid: number;
  readonly process: RunningProcess;
  /** The process that serves at this moment. */
  childPid(): number;
  /** kill -9 of the serving child; resolves with the milliseconds until another one is healthy. */
  killChild(): Promise<number>;
}

export async function startServer(options: StartServerOptions = {}): Promise<Server> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run \`pnpm build\` first`);
  const port = options.port ?? (await findFreePort());
  const ownHome = options.home === undefined;
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'lachesis-home-')));
  const host = options.host ?? '127.0.0.1';
  const serving = await startProcess({
    command: process.execPath,
    args: [
      ...[CLI, 'serve', 'trajectory-api', '--host', host, '--port', String(port), '--home', home],
      ...(options.strict === true ? ['--strict-atropos'] : []),
      ...(options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl]),
      ...(options.args ?? []),
    ],
    name: 'lachesis serve trajectory-api',
    env: { ...options.env },
  });
  const url = `http://127.0.0.1:${port}`;
  const dispose = async (): Promise<void> => {
    await serving.stop();
    if (ownHome) await removeFolder(home);
  };
  try {
    await waitForHttp({ url: `${url}/health`, process: serving });
  } catch (error) {
    await dispose();
    throw error;
  }
  const childPid = (): number => {
    const pid = listChildPids(serving.pid)[0];
    if (pid === undefined) throw new Error(`the server has no child at the moment:\n${serving.logs()}`);
    return pid;
  };
  return {
    url,
    port,
    home,
    pid: serving.pid,
    process: serving,
    childPid,
    async killChild() {
      const before = childPid();
      const killedAt = performance.now();
      process.kill(before, 'SIGKILL');
      await waitForOtherChild({ parent: serving, before });
      await waitForHttp({ url: `${url}/health`, process: serving, timeoutMs: CHILD_TIMEOUT_MS });
      return performance.now() - killedAt;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function waitForOtherChild(options: { parent: RunningProcess; before: number }): Promise<void> {
  const { parent, before } = options;
  const startedAt = performance.now();
  while (performance.now() - startedAt < CHILD_TIMEOUT_MS) {
    if (!parent.isRunning()) throw new Error(`the server's parent ended with its child:\n${parent.logs()}`);
    if (listChildPids(parent.pid).some((pid) => pid !== before)) return;
    await sleep(10);
  }
  throw new Error(`no new child ${CHILD_TIMEOUT_MS} ms after the kill:\n${parent.logs()}`);
}
