import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export interface StartInferenceOptions {
  /** Arguments of `serve inference` besides host, port and home. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Our inference server as a user starts it: a parent with the socket and a child that serves. */
export interface Inference extends AsyncDisposable {
  readonly url: string;
  /** The parent. */
  readonly process: RunningProcess;
}

export async function startInference(options: StartInferenceOptions): Promise<Inference> {
  const port = await findFreePort();
  const home = await mkdtemp(join(tmpdir(), 'lachesis-inference-'));
  const serving = await startProcess({
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'serve', 'inference'],
      ...['--host', '127.0.0.1', '--port', String(port), '--home', home, '--log-level', 'warn', '--no-token'],
      ...options.args,
    ],
    name: 'lachesis serve inference',
    env: { TINKER_BASE_URL: undefined, TINKER_API_KEY: 'tml-none', DATABASE_URL: undefined, ...options.env },
  });
  const url = `http://127.0.0.1:${port}`;
  const dispose = async (): Promise<void> => {
    await serving.stop();
    await removeFolder(home);
  };
  try {
    await waitForHttp({ url: `${url}/health`, process: serving, timeoutMs: 60_000 });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { url, process: serving, [Symbol.asyncDispose]: dispose };
}
