import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDatasetsPython } from '../../peers/datasets/find-datasets-python.ts';
import { runRenderer } from '../../peers/transformers/run-renderer.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), 'reference_losses.py');

/** Ten thousand cases take seconds; with a load of 20 on two cores three minutes were not enough. */
const TIMEOUT_MS = 900_000;

/** What numpy makes of the papers' formulas, one answer per case. */
export async function askReference<T>(cases: readonly object[]): Promise<T[]> {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const lines = await runRenderer({ python: findDatasetsPython(), script, input, timeoutMs: TIMEOUT_MS });
  if (lines.length !== cases.length) throw new Error(`${lines.length} answers to ${cases.length} cases`);
  return lines.map((line) => JSON.parse(line) as T);
}
