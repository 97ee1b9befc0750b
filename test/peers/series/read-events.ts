import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A point of a series, or a histogram. */
export type DrawnEvent =
  | { readonly series: string; readonly step: number; readonly value: number }
  | {
      readonly series: string;
      readonly step: number;
      readonly counts: readonly number[];
      readonly edges: readonly number[];
    };

/** The interpreter of the venv that holds wandb and tensorboard; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findSeriesPython(): string | undefined {
  const path = process.env['LACHESIS_SERIES_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

const run = promisify(execFile);
/** The import of TensorBoard alone takes seconds on a busy machine. */
const TIMEOUT_MS = 120_000;

/** What the reader of a program finds in the files below a folder. */
export async function readEvents(
  python: string,
  program: 'tensorboard' | 'wandb',
  folder: string,
): Promise<DrawnEvent[]> {
  const script = fileURLToPath(new URL(`read_${program}.py`, import.meta.url));
  const { stdout } = await run(python, [script, folder], {
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', WANDB_SILENT: 'true' },
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DrawnEvent);
}
