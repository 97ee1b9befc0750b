import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';
import type { RunningProcess } from '../../kit/start-process.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

/** The interpreter of the venv that holds atroposlib; made by .ci/setup, named by .ci/env.sh. */
export function findAtroposPython(): string {
  const path = process.env['LACHESIS_ATROPOS_PYTHON'];
  if (path === undefined) throw new Error('LACHESIS_ATROPOS_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');
  if (!existsSync(path))
    throw new Error(`LACHESIS_ATROPOS_PYTHON names ${path}, which is not there: run .ci/setup again`);
  return path;
}

export interface RunPythonOptions {
  /** What Python is given: `['-m', 'pytest', …]`, or a script of this folder as `./trainer.py`. */
  readonly args: readonly string[];
  /** How messages call it. */
  readonly name: string;
  /** Where it runs; peers write checkpoints and logs into their working folder, so give it a temporary one. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The stand-ins for wandb, transformers and torch come first on the path; true by default. */
  readonly standIns?: boolean;
  readonly onLine?: (line: string) => void;
}

/** Starts Python with the real atroposlib. The process ends with the test, by its pid. */
export async function runPython(options: RunPythonOptions): Promise<RunningProcess> {
  return startProcess({
    command: findAtroposPython(),
    args: options.args.map((arg) => (arg.startsWith('./') ? join(HERE, arg) : arg)),
    name: options.name,
    cwd: options.cwd,
    env: {
      PYTHONPATH: (options.standIns ?? true) ? join(HERE, 'stand-ins') : undefined,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUNBUFFERED: '1',
      // A proxy meant for package downloads must not see requests to loopback.
      no_proxy: '127.0.0.1,localhost',
      NO_PROXY: '127.0.0.1,localhost',
      ...options.env,
    },
    ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
  });
}

/** Waits for a Python that is meant to end by itself; throws with its output when it fails or takes too long. */
export async function finishPython(python: RunningProcess, options: { timeoutMs: number }): Promise<void> {
  const timer = setTimeout(() => python.signal('SIGKILL'), options.timeoutMs);
  const { code, signal } = await python.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${python.name} ended with ${signal ?? `code ${code}`}:\n${python.logs()}`);
}
