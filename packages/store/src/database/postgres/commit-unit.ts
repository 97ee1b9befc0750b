import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { StoreConflictError } from '../../errors/store-conflict-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import { CLOCK_SQL } from '../clock-sql.ts';
import type { CommitReceipt, WriteUnit } from '../store.ts';
import type { PostgresSession } from './postgres-session.ts';
import { toPostgresValues } from './postgres-values.ts';

/**
 * Two round trips: BEGIN, all statements and the clock; then COMMIT once the row counts are seen to be right. If we die
 * before COMMIT is sent, the server rolls back when the socket closes. If we die after, the unit is on disk and nobody
 * was told.
 */
export async function commitUnit(options: { session: PostgresSession; unit: WriteUnit }): Promise<CommitReceipt> {
  const { session, unit } = options;
  const rowCounts: number[] = [];
  try {
    const { lastValue } = await session.runPipeline(
      [
        ...session.opening,
        ...unit.statements.map(({ query }) => ({ sql: query.sql, values: toPostgresValues(query.parameters) })),
        { sql: `select ${CLOCK_SQL.postgres}`, values: [] },
      ],
      rowCounts,
    );
    const stale = findStale(unit, rowCounts.slice(session.opening.length));
    if (stale !== undefined) throw stale;
    const { command } = await session.run('commit', [], 'unknown');
    if (command !== 'COMMIT') {
      throw new StoreUnavailableError({ detail: `COMMIT was answered with ${command}`, outcome: 'nothing-written' });
    }
    return { databaseNow: Number(lastValue) };
  } catch (error) {
    await session.run('rollback', [], 'nothing-written').catch(() => session.discard());
    // Who decided on rows that have moved on also writes keys that whoever moved them has written: that is no conflict.
    throw StoreConflictError.isInstance(error)
      ? (findStale(unit, rowCounts.slice(session.opening.length)) ?? error)
      : error;
  } finally {
    session.release();
  }
}

/** The first statement that ran and touched another number of rows than it must. */
function findStale(unit: WriteUnit, rowCounts: readonly number[]): StaleWriteError | undefined {
  for (const [statementIndex, { expectRows }] of unit.statements.entries()) {
    const actualRows = rowCounts[statementIndex];
    if (actualRows !== undefined && expectRows !== undefined && actualRows !== expectRows) {
      return new StaleWriteError({ statementIndex, expectedRows: expectRows, actualRows });
    }
  }
  return undefined;
}
