import type { DatabaseSync } from 'node:sqlite';
import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { CLOCK_SQL } from '../clock-sql.ts';
import { describeFailure } from './sqlite-failure.ts';
import type { SqliteCommitAnswer, SqliteFailure, SqliteUnit } from './sqlite-messages.ts';
import type { CachedStatement, StatementCache } from './statement-cache.ts';

/**
 * Runs many units in one transaction, so that they share one fsync. Where there are several, each has its own savepoint: one
 * that fails is undone alone. A unit that came alone is the transaction, and no page is copied for its savepoint. If we die before COMMIT returns, none of them was acknowledged and SQLite shows all or none after
 * recovery; if we die after, all of them are on disk and their callers never got the answer.
 */
export function runUnits(
  database: DatabaseSync,
  statements: StatementCache,
  units: readonly SqliteUnit[],
): SqliteCommitAnswer {
  database.exec('begin immediate');
  const failures: (SqliteFailure | null)[] = [];
  try {
    const isAlone = units.length === 1;
    for (const unit of units) {
      failures.push(isAlone ? runAlone(database, statements, unit) : runSaved(database, statements, unit));
    }
    const clock = statements.prepare(`select ${CLOCK_SQL.sqlite} as now`).statement.get() as unknown as [now: number];
    // Nothing to keep means nothing to sync.
    database.exec(failures.every((failure) => failure !== null) ? 'rollback' : 'commit');
    return { databaseNow: clock[0], failures };
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Null when the unit succeeded; the caller ends the transaction either way. Throws only when the whole transaction is lost. */
function runAlone(database: DatabaseSync, statements: StatementCache, unit: SqliteUnit): SqliteFailure | null {
  try {
    runStatements(statements, unit);
    return null;
  } catch (error) {
    // A full disk or a failed read makes SQLite roll everything back by itself.
    if (!database.isTransaction) throw error;
    return describeFailure(error);
  }
}

/** The same for one of several, which is undone by itself. */
function runSaved(database: DatabaseSync, statements: StatementCache, unit: SqliteUnit): SqliteFailure | null {
  database.exec('savepoint unit');
  const failure = runAlone(database, statements, unit);
  if (failure !== null) database.exec('rollback to unit');
  database.exec('release unit');
  return failure;
}

function runStatements(statements: StatementCache, { texts, statements: run }: SqliteUnit): void {
  const prepared: CachedStatement[] = [];
  for (const [statementIndex, [text, parameters, expectRows]] of run.entries()) {
    const { statement } = (prepared[text] ??= statements.prepare(texts[text]!));
    const { changes } = statement.run(...parameters);
    const actualRows = Number(changes);
    if (expectRows !== null && actualRows !== expectRows) {
      throw new StaleWriteError({ statementIndex, expectedRows: expectRows, actualRows });
    }
  }
}
