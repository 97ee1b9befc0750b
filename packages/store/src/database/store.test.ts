import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreClosedError } from '../errors/store-closed-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { StoreTimeoutError } from '../errors/store-timeout-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import type { Store } from './store.ts';

describeOnEachDialect('a store', (createTarget) => {
  it('keeps all statements of a unit or none', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await store.commit({ statements: [{ query: insertRun(store, 'a'), expectRows: 1 }] });
    const failing = store.commit({ statements: [{ query: insertRun(store, 'b') }, { query: insertRun(store, 'a') }] });
    await expect(failing).rejects.toSatisfy(StoreConflictError.isInstance);
    expect(await readRunIds(store)).toEqual(['a']);
  });

  it('rolls a unit back when a statement touches another number of rows than decided', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const rename = store.db.updateTable('runs').set({ name: 'x' }).where('run_id', '=', 'missing').compile();
    const error = await store
      .commit({ statements: [{ query: insertRun(store, 'a') }, { query: rename, expectRows: 1 }] })
      .catch((caught: unknown) => caught);
    expect(StaleWriteError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statementIndex: 1, expectedRows: 1, actualRows: 0 });
    expect(await readRunIds(store)).toEqual([]);
  });

  it('takes a unit for stale, not for a conflict, when it was decided on rows that moved on and writes keys that are taken', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await store.commit({ statements: [{ query: insertRun(store, 'a') }] });
    const advance = store.db.updateTable('runs').set({ created_at: 1 }).where('run_id', '=', 'none').compile();
    const late = { statements: [{ query: advance, expectRows: 1 }, { query: insertRun(store, 'a') }] };
    await expect(store.commit(late)).rejects.toMatchObject({ name: 'StaleWriteError', statementIndex: 0 });
  });

  it('undoes a failing unit alone among many at once', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        // Every tenth writes a row of its own first and then one that cannot be.
        store.commit({
          statements:
            index % 10 === 5
              ? [{ query: insertRun(store, `lost-${index}`) }, { query: insertRun(store, `lost-${index}`) }]
              : [{ query: insertRun(store, `kept-${index}`), expectRows: 1 }],
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    const ids = await readRunIds(store);
    expect(ids).toHaveLength(36);
    expect(ids.every((id) => id.startsWith('kept-'))).toBe(true);
  });

  it('lets exactly one of many writers pass a compare-and-set', async () => {
    await using target = await createTarget();
    const first = await target.open();
    const second = await target.open();
    await first.db.insertInto('runs').values({ tenant_id: 't', run_id: 'r', name: 'r', created_at: 0 }).execute();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => {
        const store = index % 2 === 0 ? first : second;
        const query = store.db
          .updateTable('runs')
          .set({ created_at: 1 })
          .where('run_id', '=', 'r')
          .where('created_at', '=', 0)
          .compile();
        return store.commit({ statements: [{ query, expectRows: 1 }] });
      }),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const losers = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(losers.every((reason) => StaleWriteError.isInstance(reason))).toBe(true);
  });

  it('tells the clock of the database in whole milliseconds', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const before = await store.now();
    const { databaseNow } = await store.commit({ statements: [{ query: insertRun(store, 'a') }] });
    const after = await store.now();
    expect(Number.isInteger(databaseNow)).toBe(true);
    expect(databaseNow).toBeGreaterThanOrEqual(before);
    expect(databaseNow).toBeLessThanOrEqual(after);
    expect(Math.abs(after - Date.now())).toBeLessThan(10_000);
  });

  it('commits and rolls back interactive transactions, with savepoints', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await store.db.transaction().execute(async (transaction) => {
      await transaction.executeQuery(insertRun(store, 'kept'));
    });
    const failing = store.db.transaction().execute(async (transaction) => {
      await transaction.executeQuery(insertRun(store, 'lost'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const controlled = await store.db.startTransaction().execute();
    const savepoint = await controlled.savepoint('here').execute();
    await savepoint.executeQuery(insertRun(store, 'undone'));
    await savepoint.rollbackToSavepoint('here').execute();
    await controlled.executeQuery(insertRun(store, 'also-kept'));
    await controlled.commit().execute();
    expect(await readRunIds(store)).toEqual(['also-kept', 'kept']);
  });

  it('takes a transaction back at its deadline and goes on without it', async () => {
    await using target = await createTarget();
    const store = await target.open({ deadlineMs: 300, poolSize: 1 });
    const slow = store.db.transaction().execute(async (transaction) => {
      await transaction.executeQuery(insertRun(store, 'slow'));
      await sleep(600);
    });
    const [slowResult] = await Promise.allSettled([slow]);
    expect(slowResult).toMatchObject({ status: 'rejected' });
    expect(StoreTimeoutError.isInstance((slowResult as PromiseRejectedResult).reason)).toBe(true);
    await store.commit({ statements: [{ query: insertRun(store, 'next'), expectRows: 1 }] });
    expect(await readRunIds(store)).toEqual(['next']);
  });

  it('counts the wait for a connection against the deadline', async () => {
    await using target = await createTarget();
    const holder = await target.open({ deadlineMs: 400, poolSize: 1 });
    const held = holder.db.transaction().execute(() => sleep(1_000));
    const heldSettled = Promise.allSettled([held]);
    await sleep(200);
    const started = performance.now();
    const waiting = holder.commit({ statements: [{ query: insertRun(holder, 'a') }] }, { deadlineMs: 100 });
    const error = await waiting.catch((caught: unknown) => caught);
    expect(StoreTimeoutError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ outcome: 'nothing-written', deadlineMs: 100 });
    expect(performance.now() - started).toBeLessThan(1_000);
    // The holder is taken back at its own deadline, while its owner still sleeps.
    await sleep(300);
    expect(await readRunIds(holder)).toEqual([]);
    await heldSettled;
  });

  it('gives whole numbers as JavaScript numbers and refuses those beyond 2^53', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const largest = Number.MAX_SAFE_INTEGER;
    await store.db
      .insertInto('metric_points')
      .values({ tenant_id: 't', run_id: 'r', series: 's', step: largest, at: 1, value: 0.1 })
      .execute();
    expect(await store.db.selectFrom('metric_points').select(['step', 'value']).execute()).toEqual([
      { step: largest, value: 0.1 },
    ]);
    const totals = await store.db
      .selectFrom('metric_points')
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('at').as('sum')])
      .executeTakeFirst();
    expect(totals).toEqual({ count: 1, sum: 1 });
    await sql`update metric_points set step = 9007199254740993`.execute(store.db);
    await expect(store.db.selectFrom('metric_points').select('step').execute()).rejects.toThrow(RangeError);
    expect(await readRunIds(store)).toEqual([]);
  });

  it('binds booleans as 0 and 1 and refuses objects', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await sql`insert into runs (tenant_id, run_id, name, created_at) values ('t', 'r', 'r', ${true})`.execute(store.db);
    expect(await store.db.selectFrom('runs').select('created_at').executeTakeFirst()).toEqual({ created_at: 1 });
    await expect(sql`select ${{ a: 1 }}`.execute(store.db)).rejects.toThrow(TypeError);
    expect(await readRunIds(store)).toEqual(['r']);
  });

  it('closes twice and refuses work afterwards', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const last = store.commit({ statements: [{ query: insertRun(store, 'last') }] });
    await Promise.all([store.close(), store.close()]);
    await expect(last).resolves.toHaveProperty('databaseNow');
    await expect(store.now()).rejects.toSatisfy(StoreClosedError.isInstance);
    await expect(store.commit({ statements: [] })).rejects.toSatisfy(StoreClosedError.isInstance);
    expect(await readRunIds(await target.open())).toEqual(['last']);
  });
});

function insertRun(store: Store, runId: string): CompiledQuery {
  return store.db.insertInto('runs').values({ tenant_id: 't', run_id: runId, name: runId, created_at: 0 }).compile();
}

async function readRunIds(store: Store): Promise<string[]> {
  const rows = await store.db.selectFrom('runs').select('run_id').orderBy('run_id').execute();
  return rows.map((row) => row.run_id);
}
