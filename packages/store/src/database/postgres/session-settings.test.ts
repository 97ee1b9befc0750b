import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import { allMigrations } from '../../migrations/all-migrations.ts';
import { createPooler } from '../../testing/pooler.fixture.ts';
import { createPostgresTarget, TEST_DATABASE_URL } from '../../testing/test-stores.fixture.ts';
import type { Store } from '../store.ts';
import { createLocalSettings } from './session-settings.ts';

it('settings of a transaction are one statement, with quotes kept', () => {
  expect(createLocalSettings({ lock_timeout: '100', application_name: "it's" })).toBe(
    "select set_config('lock_timeout', '100', true), set_config('application_name', 'it''s', true)",
  );
});

describe.skipIf(TEST_DATABASE_URL === undefined)('behind a pooler that lends a server for one transaction', () => {
  for (const manner of ['refuses', 'drops'] as const) {
    it(`that ${manner} settings at the start, every transaction and every write has them`, async () => {
      await using target = await createPostgresTarget();
      const url = new URL(target.address.databaseUrl ?? '');
      await using pooler = await createPooler({ host: url.hostname, port: Number(url.port) }, manner);
      url.port = String(pooler.port);
      const store = await target.open({
        ...{ databaseUrl: url.href, deadlineMs: 3_000, sessionSettings: { synchronous_commit: 'remote_write' } },
      });
      const asked = ['3s', '1s', '10s', 'remote_write'];
      expect(await store.db.transaction().execute((transaction) => readSettings(transaction))).toEqual(asked);
      // A write without a transaction, and a unit that is sent in one go.
      await sql`insert into runs (tenant_id, run_id, name, created_at) select 't', 'alone', ${settings}, 0`.execute(
        store.db,
      );
      const unit = sql`insert into runs (tenant_id, run_id, name, created_at) select 'u', 'unit', ${settings}, 0`;
      await store.commit({ statements: [{ query: unit.compile(store.db), expectRows: 1 }] });
      const { rows } = await sql<{ name: string }>`select name from runs order by run_id`.execute(store.db);
      expect(rows.map(({ name }) => name)).toEqual([asked.join(), asked.join()]);
      // Nothing is left for whoever is lent the server next.
      expect(await readSettings(store.db)).toEqual(['0', '0', '0', 'on']);
    });
  }

  it('an index is made outside of a transaction', async () => {
    await using target = await createPostgresTarget();
    const url = new URL(target.address.databaseUrl ?? '');
    await using pooler = await createPooler({ host: url.hostname, port: Number(url.port) }, 'refuses');
    url.port = String(pooler.port);
    const indexes = [{ name: 'runs_by_time', on: 'runs (tenant_id, created_at)' }];
    const indexed = { number: allMigrations.length + 1, name: 'index', minReader: 1, statements: () => [], indexes };
    const store = await target.open({ databaseUrl: url.href, migrations: [...allMigrations, indexed] });
    const { rows } = await sql`select indisvalid from pg_index where indexrelid = to_regclass('runs_by_time')`.execute(
      store.db,
    );
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  it('a write that touches another number of rows is stale, and one that fails leaves nothing open', async () => {
    await using target = await createPostgresTarget();
    const url = new URL(target.address.databaseUrl ?? '');
    await using pooler = await createPooler({ host: url.hostname, port: Number(url.port) }, 'refuses');
    url.port = String(pooler.port);
    const store = await target.open({ databaseUrl: url.href, poolSize: 1 });
    const query = sql`update runs set name = 'x'`.compile(store.db);
    const error = await store.commit({ statements: [{ query, expectRows: 1 }] }).catch((caught: unknown) => caught);
    expect(StaleWriteError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statementIndex: 0, actualRows: 0 });
    await expect(sql`insert into runs (tenant_id) values ('t')`.execute(store.db)).rejects.toThrow(/null value/);
    expect(await store.now()).toBeTypeOf('number');
  });
});

describe.skipIf(TEST_DATABASE_URL === undefined)('a server that only reads', () => {
  it('is unavailable with nothing written, and its connection is not used again', async () => {
    await using target = await createPostgresTarget();
    const store = await target.open({ poolSize: 1 });
    // As a primary that was made a standby under an open connection.
    await sql`set default_transaction_read_only = on`.execute(store.db);
    const query = sql`delete from runs`.compile(store.db);
    const error = await store.commit({ statements: [{ query }] }).catch((caught: unknown) => caught);
    expect(StoreUnavailableError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ outcome: 'nothing-written' });
    await expect(store.commit({ statements: [{ query }] })).resolves.toHaveProperty('databaseNow');
  });
});

const settings = sql<string>`concat_ws(',', current_setting('statement_timeout'), current_setting('lock_timeout'),
  current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'))`;

/** By a query that only reads, which is sent as it is. */
async function readSettings(db: Store['db']): Promise<string[]> {
  const { value } = await db.selectNoFrom(settings.as('value')).executeTakeFirstOrThrow();
  return value.split(',');
}
