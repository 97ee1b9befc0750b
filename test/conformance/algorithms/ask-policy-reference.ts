import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDatasetsPython } from '../../peers/datasets/find-datasets-python.ts';
import { runRenderer } from '../../peers/transformers/run-renderer.ts';

const folder = dirname(fileURLToPath(import.meta.url));

/** Twenty thousand cases take half a minute; with a load of 20 on two cores five were not enough. */
const TIMEOUT_MS = 900_000;

/** What numpy makes of the papers' formulas, one answer per case. */
export const askPolicyReference = <T>(cases: readonly object[]): Promise<T[]> =>
  ask<T>('reference_algorithms.py', cases);

/** What the loss of TRL's trainer is, one answer per case. */
export const askTrl = <T>(cases: readonly object[]): Promise<T[]> => ask<T>('trl_algorithms.py', cases);

async function ask<T>(script: string, cases: readonly object[]): Promise<T[]> {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const python = findDatasetsPython();
  const lines = await runRenderer({ python, script: join(folder, script), input, timeoutMs: TIMEOUT_MS });
  if (lines.length !== cases.length) throw new Error(`${lines.length} answers to ${cases.length} cases`);
  return lines.map((line) => JSON.parse(line) as T);
}
