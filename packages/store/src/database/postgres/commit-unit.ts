import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import { CLOCK_SQL } from '../database-clock.ts';
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
  try {
    const { rowCounts, lastValue } = await session.runPipeline([
      { sql: 'begin', values: [] },
      ...unit.statements.map(({ query }) => ({ sql: query.sql, values: toPostgresValues(query.parameters) })),
      { sql: `select ${CLOCK_SQL.postgres}`, values: [] },
    ]);
    for (const [statementIndex, { expectRows }] of unit.statements.entries()) {
      const actualRows = rowCounts[statementIndex + 1] ?? 0;
      if (expectRows !== undefined && actualRows !== expectRows) {
        throw new StaleWriteError({ statementIndex, expectedRows: expectRows, actualRows });
      }
    }
    const { command } = await session.run('commit', [], 'unknown');
    if (command !== 'COMMIT') {
      throw new StoreUnavailableError({ detail: `COMMIT was answered with ${command}`, outcome: 'nothing-written' });
    }
    return { databaseNow: Number(lastValue) };
  } catch (error) {
    await session.run('rollback', [], 'nothing-written').catch(() => session.discard());
    throw error;
  } finally {
    session.release();
  }
}
