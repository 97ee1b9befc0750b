import { findFreePort } from '../../kit/find-free-port.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { runPython } from './run-python.ts';

export interface RunApi extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly process: RunningProcess;
}

export interface StartRunApiOptions {
  /** A free one by default. */
  readonly port?: number;
  /** Where it runs; the original writes nothing, so any folder does. */
  readonly cwd?: string;
}

/** The original trajectory API, `run-api` of the real atroposlib, on loopback. */
export async function startRunApi(options: StartRunApiOptions = {}): Promise<RunApi> {
  const port = options.port ?? (await findFreePort());
  const process = await runPython({
    // What the console script `run-api` calls.
    args: ['-m', 'atroposlib.cli.run_api', '--host', '127.0.0.1', '--port', String(port)],
    name: 'run-api',
    cwd: options.cwd ?? '/tmp',
    standIns: false,
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitForHttp({ url: `${url}/info`, process });
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { url, pid: process.pid, process, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}
