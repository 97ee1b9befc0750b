import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface BatchRow {
  prompt_index: number;
  conversations: { from: string; value: unknown }[];
  completed: boolean;
  partial: boolean;
  api_calls: number;
  toolsets_used: string[];
  tool_stats: Record<string, { count: number; success: number; failure: number }>;
}

/** Rows of a run by the index of their prompt; a second row of one index is under `index/2`. */
export async function readRun(directory: string): Promise<Map<string, BatchRow>> {
  const text = await readFile(join(directory, 'trajectories.jsonl'), 'utf8');
  return byIndex(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BatchRow),
  );
}

export function byIndex(rows: readonly BatchRow[]): Map<string, BatchRow> {
  const found = new Map<string, BatchRow>();
  for (const row of rows) {
    let key = String(row.prompt_index);
    for (let copy = 2; found.has(key); copy += 1) key = `${row.prompt_index}/${copy}`;
    found.set(key, row);
  }
  return found;
}

/** What is compared: everything but times, element 0, and tools that were never called, of which Hermes lists all it has. */
export function toFacts(row: BatchRow | undefined): string {
  if (row === undefined) return 'no row';
  const called = Object.entries(row.tool_stats)
    .filter(([, { count }]) => count > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const { completed, partial, api_calls, toolsets_used } = row;
  return JSON.stringify([row.conversations.slice(1), completed, partial, api_calls, toolsets_used, called]);
}

/** The keys of rows that differ or that one side lacks. */
export function compareRuns(theirs: ReadonlyMap<string, BatchRow>, ours: ReadonlyMap<string, BatchRow>): string[] {
  const keys = new Set([...theirs.keys(), ...ours.keys()]);
  return [...keys].filter((key) => toFacts(theirs.get(key)) !== toFacts(ours.get(key)));
}
