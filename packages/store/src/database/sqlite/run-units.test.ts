import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { runUnits } from './run-units.ts';
import { StatementCache } from './statement-cache.ts';

const unit = (...values: string[]) => ({
  texts: ['insert into t values (?)'],
  statements: values.map((value) => [0, [value], null] as const),
});

function openDatabase(): { database: DatabaseSync; statements: StatementCache; read: () => unknown[] } {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (a text primary key)');
  const read = () =>
    database
      .prepare('select a from t order by a')
      .all()
      .map(({ a }) => a);
  return { database, statements: new StatementCache(database, 10), read };
}

describe('units in one transaction', () => {
  it('keeps the good ones around a bad one', () => {
    const { database, statements, read } = openDatabase();
    const { failures } = runUnits(database, statements, [unit('a'), unit('b', 'a'), unit('c')]);
    expect(failures).toEqual([null, expect.objectContaining({ kind: 'sqlite', errcode: 1555 }), null]);
    expect(read()).toEqual(['a', 'c']);
  });

  it('undoes all of one that came alone', () => {
    const { database, statements, read } = openDatabase();
    const { failures } = runUnits(database, statements, [unit('a', 'b', 'a')]);
    expect(failures).toEqual([expect.objectContaining({ kind: 'sqlite', errcode: 1555 })]);
    expect(database.isTransaction).toBe(false);
    expect(read()).toEqual([]);
  });

  it('reports a row count that differs', () => {
    const { database, statements, read } = openDatabase();
    const stale = { texts: ['update t set a = a'], statements: [[0, [], 1] as const] };
    const { failures } = runUnits(database, statements, [stale]);
    expect(failures).toEqual([{ kind: 'stale', statementIndex: 0, expectedRows: 1, actualRows: 0 }]);
    expect(database.isTransaction).toBe(false);
    expect(read()).toEqual([]);
  });

  it('leaves no transaction behind when the disk is full, and works again when there is space', () => {
    const { database, statements, read } = openDatabase();
    const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number };
    database.exec(`pragma max_page_count = ${pages}`);
    const units = [unit('a'), unit('x'.repeat(100_000))];
    const full = runUnitsOrError(database, statements, units);
    expect(full).toMatchObject({ errcode: 13 });
    expect(database.isTransaction).toBe(false);
    database.exec('pragma max_page_count = 100000');
    runUnits(database, statements, [unit('after')]);
    expect(read()).toContain('after');
  });

  it('keeps only the statements used last', () => {
    const { database, statements } = openDatabase();
    const first = statements.prepare('select 1 as one');
    expect(statements.prepare('select 1 as one')).toBe(first);
    for (let index = 0; index < 10; index += 1) statements.prepare(`select ${index} as other`);
    expect(statements.prepare('select 1 as one')).not.toBe(first);
    const pragma = statements.prepare('pragma page_count');
    expect(statements.prepare('pragma page_count')).not.toBe(pragma);
    database.close();
  });
});

/** The failure of the last unit, or of all of them when the transaction was lost. */
function runUnitsOrError(...args: Parameters<typeof runUnits>): unknown {
  try {
    return runUnits(...args).failures.at(-1);
  } catch (error) {
    return error;
  }
}
