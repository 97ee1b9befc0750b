import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

const SERVE = fileURLToPath(new URL('serve.py', import.meta.url));

export interface Tuft extends AsyncDisposable {
  readonly url: string;
  /** The only key it takes. */
  readonly apiKey: string;
  /** The only model it has. */
  readonly baseModel: 'Qwen/Qwen3-0.6B';
  readonly pid: number;
  readonly process: RunningProcess;
}

export interface StartTuftOptions {
  /** A free one by default. */
  readonly port?: number;
  /** `tml-` and more: the official client refuses others. */
  readonly apiKey?: string;
}

/** The interpreter of the venv that holds tuft; made by .ci/setup, named by .ci/env.sh. */
export function findTuftPython(): string {
  const path = process.env['LACHESIS_TUFT_PYTHON'];
  if (path === undefined) throw new Error('LACHESIS_TUFT_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');
  if (!existsSync(path)) throw new Error(`LACHESIS_TUFT_PYTHON names ${path}, which is not there: run .ci/setup again`);
  return path;
}

/** TuFT 0.2.2, its real API over its CPU dummy backend, on loopback. */
export async function startTuft(options: StartTuftOptions = {}): Promise<Tuft> {
  const python = findTuftPython();
  const port = options.port ?? (await findFreePort());
  const apiKey = options.apiKey ?? 'tml-peer-key';
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-tuft-'));
  const serving = await startProcess({
    command: python,
    args: ['-B', SERVE, String(port), apiKey],
    name: 'TuFT',
    // It writes checkpoints and its stand-in model folder into its working folder.
    cwd: directory,
    env: { PYTHONUNBUFFERED: '1', no_proxy: '127.0.0.1,localhost', NO_PROXY: '127.0.0.1,localhost' },
  });
  const url = `http://127.0.0.1:${port}`;
  const dispose = async (): Promise<void> => {
    await serving.stop();
    await removeFolder(directory);
  };
  try {
    await waitForHttp({ url: `${url}/api/v1/healthz`, process: serving, timeoutMs: 60_000 });
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url,
    apiKey,
    baseModel: 'Qwen/Qwen3-0.6B',
    pid: serving.pid,
    process: serving,
    [Symbol.asyncDispose]: dispose,
  };
}
