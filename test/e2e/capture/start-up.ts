import path from 'node:path';
import { createLibraryClient, type LibraryClient } from '@lachesis/sdk';
import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

export const cli = path.resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** `lachesis up` as a user starts it. */
export interface Up {
  /** What agents are given as base URL, with its `/v1`. */
  readonly baseUrl: string;
  readonly library: LibraryClient;
  readonly process: RunningProcess;
}

export interface UpOptions {
  readonly context: ScenarioContext;
  readonly home: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly logFile?: string;
}

export async function startUp({ context, home, args, env = {}, logFile }: UpOptions): Promise<Up> {
  const [port, controlPort] = [await findFreePort(), await findFreePort()];
  const running = await startProcess({
    name: 'lachesis up',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', cli, 'up', '--home', home, '--no-token'],
      ...['--port', String(port), '--control-port', String(controlPort), ...args],
    ],
    env: { TINKER_BASE_URL: undefined, TINKER_API_KEY: 'tml-none', DATABASE_URL: undefined, ...env },
    ...(logFile === undefined ? {} : { logFile }),
  });
  context.defer(async () => void (await running.stop()));
  const libraryUrl = `http://127.0.0.1:${controlPort}`;
  await waitForHttp({ url: `${libraryUrl}/health`, process: running, timeoutMs: 60_000 });
  await waitForHttp({ url: `http://127.0.0.1:${port}/health`, process: running, timeoutMs: 60_000 });
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    library: createLibraryClient({ url: libraryUrl }),
    process: running,
  };
}
