import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';

const SCRIPT = fileURLToPath(new URL('tinker_trainer.py', import.meta.url));

export interface TinkerTrainerOptions {
  /** A Tinker server. */
  readonly engine: string;
  readonly model: string;
  /** A trajectory API, the original or ours. */
  readonly api: string;
  /** A folder with a tokenizer. */
  readonly tokenizer: string;
  readonly batchSize: number;
  readonly maxTokens: number;
  readonly rank: number;
  readonly learningRate: number;
  readonly steps: number;
  readonly cwd: string;
  /** Where its weights begin; new ones when absent. */
  readonly initialState?: string;
  /** Sample once from new weights before the next step, as SkyRL needs it. */
  readonly probes?: boolean;
  readonly onStep?: (metrics: Readonly<Record<string, number>>) => void;
}

export interface TinkerTrainer extends AsyncDisposable {
  readonly process: RunningProcess;
  /** Of its inference server. */
  readonly url: string;
  /** Resolves when it has registered and serves. */
  readonly ready: Promise<void>;
}

/** A trainer in the manner of tinker-atropos, over the official Python client. */
export async function startTinkerTrainer(options: TinkerTrainerOptions): Promise<TinkerTrainer> {
  const { cwd, onStep, ...rest } = options;
  const port = await findFreePort();
  const ready = Promise.withResolvers<void>();
  const trainer = await startProcess({
    ...pythonCall('train', { ...rest, port }),
    name: 'Python trainer',
    cwd,
    onLine: (line) => {
      if (!line.startsWith('{')) return;
      const told = JSON.parse(line) as Record<string, number>;
      if ('ready' in told) ready.resolve();
      else onStep?.(told);
    },
  });
  void trainer.exited.then(() => ready.reject(new Error(`the Python trainer ended early:\n${trainer.logs()}`)));
  // Whoever does not wait for it is not to be ended by it.
  ready.promise.catch(() => undefined);
  return {
    process: trainer,
    url: `http://127.0.0.1:${port}`,
    ready: ready.promise,
    [Symbol.asyncDispose]: () => trainer[Symbol.asyncDispose](),
  };
}

/** Its inference server alone. */
export async function startTinkerInference(options: {
  engine: string;
  model: string;
  tokenizer: string;
  cwd: string;
}): Promise<{ readonly url: string; readonly process: RunningProcess } & AsyncDisposable> {
  const { cwd, ...rest } = options;
  const port = await findFreePort();
  const serving = await startProcess({
    ...pythonCall('serve', { ...rest, port }),
    name: 'Python inference server',
    cwd,
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitForHttp({ url: `${url}/health`, process: serving, timeoutMs: 60_000 });
  } catch (error) {
    await serving.stop();
    throw error;
  }
  return { url, process: serving, [Symbol.asyncDispose]: () => serving[Symbol.asyncDispose]() };
}

function pythonCall(
  mode: 'train' | 'serve',
  options: object,
): { command: string; args: string[]; env: Record<string, string> } {
  const python = process.env['LACHESIS_ENGINE_PYTHON'];
  if (python === undefined || python === '') {
    throw new Error('LACHESIS_ENGINE_PYTHON names no Python with the official client; `.ci/setup` makes one.');
  }
  return {
    command: python,
    args: ['-B', SCRIPT, mode, JSON.stringify(options)],
    // A proxy meant for package downloads must not see requests to loopback.
    env: { PYTHONUNBUFFERED: '1', no_proxy: '127.0.0.1,localhost', NO_PROXY: '127.0.0.1,localhost' },
  };
}
