import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { findDatasetsPython } from '../../peers/datasets/find-datasets-python.ts';
import { runRenderer } from '../../peers/transformers/run-renderer.ts';
import type { Export } from './exports.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), 'load_exports.py');

/** Loading some thousand rows a dozen times takes seconds; a busy machine gets minutes. */
const TIMEOUT_MS = 240_000;

export interface LoadedExport {
  readonly rows: unknown[];
  readonly error: string | undefined;
}

/** What `datasets` finds in each export. */
export async function loadExports(exports: readonly Pick<Export, 'kind' | 'path' | 'card'>[]): Promise<LoadedExport[]> {
  const input = exports.map(({ kind, path, card }) => `${JSON.stringify({ kind, path, card })}\n`).join('');
  const lines = await runRenderer({ python: findDatasetsPython(), script, input, timeoutMs: TIMEOUT_MS });
  const loaded = exports.map(() => ({ rows: [] as unknown[], error: undefined as string | undefined }));
  for (const line of lines) {
    const { task, row, error } = JSON.parse(line) as { task: number; row?: unknown; error?: string };
    const entry = loaded[task];
    if (entry === undefined) throw new Error(`an answer about task ${task}, which was not given`);
    if (error === undefined) entry.rows.push(row);
    else entry.error = error;
  }
  return loaded;
}

/** Rows that differ from what was exported, missing and additional ones included. */
export function countDifferences(
  expected: readonly unknown[],
  found: LoadedExport,
  log: (text: string) => void,
): number {
  if (found.error !== undefined) log(found.error);
  let different = Math.abs(expected.length - found.rows.length);
  for (const [index, row] of expected.entries()) {
    if (index >= found.rows.length || isDeepStrictEqual(normalise(row), normalise(found.rows[index]))) continue;
    different += 1;
    if (different === 1)
      log(`row ${index}:\n  exported ${JSON.stringify(row)}\n  loaded   ${JSON.stringify(found.rows[index])}`);
  }
  return different;
}

// `exact` is a column of the file and no field of a record.
function normalise(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('exact' in row)) return row;
  const { exact: _exact, ...rest } = row;
  return rest;
}
