import type { Subject } from '../servers/subject.ts';
import { ROWS } from './row.ts';
import type { RowId } from './row.ts';
import { ROW_CHECKS } from './table.ts';

export type RowOutcome =
  | { readonly row: RowId; readonly result: 'ok' }
  | { readonly row: RowId; readonly result: 'failed' | 'not-run'; readonly reason: string };

export const ROW_IDS = Object.keys(ROWS) as RowId[];

/** Runs the checks of one server one after another: they share a model. */
export async function runRows(
  subject: Subject,
  rows: readonly RowId[] = ROW_IDS,
  onRow: (outcome: RowOutcome, seconds: number) => void = () => {},
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    const startedAt = performance.now();
    const outcome = await runRow(subject, row);
    outcomes.push(outcome);
    onRow(outcome, (performance.now() - startedAt) / 1000);
  }
  return outcomes;
}

async function runRow(subject: Subject, row: RowId): Promise<RowOutcome> {
  const check = ROW_CHECKS[row][subject.server.name];
  if (typeof check === 'object') return { row, result: 'not-run', reason: check.notRun };
  try {
    await check(subject);
    return { row, result: 'ok' };
  } catch (error) {
    return { row, result: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}
