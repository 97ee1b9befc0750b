import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Store } from '../database/store.ts';
import { MigrationChangedError, SchemaTooNewError } from '../errors/schema-errors.ts';
import { expectedColumns } from '../schema/columns.fixture.ts';
import {
  createPostgresTarget,
  describeOnEachEmptyDatabase,
  TEST_DATABASE_URL,
} from '../testing/test-stores.fixture.ts';
import { allMigrations } from './all-migrations.ts';
import type { Migration } from './migration.ts';

const released = Math.max(...allMigrations.map(({ number }) => number));

const additive: Migration = {
  number: released + 1,
  name: 'add-note',
  minReader: 1,
  statements: () => ['alter table runs add column note text', 'create table notes (a text)'],
};
const breaking: Migration = {
  number: released + 2,
  name: 'rename-name',
  minReader: released + 2,
  statements: () => ['alter table runs rename column name to title'],
};

const indexed: Migration = {
  number: released + 1,
  name: 'runs-by-name',
  minReader: 1,
  statements: () => [],
  indexes: [{ name: 'runs_by_created_at', on: 'runs (tenant_id, created_at)' }],
};

describeOnEachEmptyDatabase('migrations', (createTarget) => {
  it('make exactly the tables and columns that the types promise', async () => {
    await using target = await createTarget();
    const { db } = await target.open();
    const tables = await db.introspection.getTables();
    const schema = target.dialect === 'postgres' ? await readSchemaName(db) : undefined;
    const found = tables
      .filter((table) => table.schema === schema)
      // The full-text index: the one table that each engine makes in its own way.
      .filter((table) => !table.name.startsWith('turn_search'))
      .map(({ name, columns }) => [
        name,
        Object.fromEntries(columns.map((column) => [column.name, column.isNullable ? 'null' : 'value'])),
      ]);
    expect(Object.fromEntries(found)).toEqual(expectedColumns);
  });

  it('put the tenant first in the key of every table', async () => {
    await using target = await createTarget();
    const store = await target.open();
    for (const table of Object.keys(expectedColumns).filter((name) => !isOfNoTenant(name))) {
      expect([table, await readFirstKeyColumn(store, table)]).toEqual([table, 'tenant_id']);
    }
  });

  it('run once when two servers start at the same time', async () => {
    await using target = await createTarget();
    const migrations = [...allMigrations, additive];
    const stores = await Promise.all([1, 2, 3].map(() => target.open({ migrations })));
    for (const { db } of stores) {
      const rows = await db.selectFrom('migrations').select('number').orderBy('number').execute();
      expect(rows).toEqual(migrations.map(({ number }) => ({ number })));
    }
  });

  it('let an older server go on beside a newer one when they only add', async () => {
    await using target = await createTarget();
    const old = await target.open();
    const next = await target.open({ migrations: [...allMigrations, additive] });
    const restarted = await target.open();
    await insertRun(old, 'by-running-old');
    await insertRun(restarted, 'by-restarted-old');
    await insertRun(next, 'by-new');
    for (const store of [old, next, restarted]) expect(await countRuns(store)).toBe(3);
  });

  it('refuse a server that a newer migration has left behind', async () => {
    await using target = await createTarget();
    await target.open({ migrations: [...allMigrations, additive, breaking] });
    const error = await target.open({ migrations: [...allMigrations, additive] }).catch((caught: unknown) => caught);
    expect(SchemaTooNewError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ minReader: released + 2, ownNumber: released + 1 });
  });

  it('refuse a server whose released migration was edited', async () => {
    await using target = await createTarget();
    await target.open({ migrations: [...allMigrations, additive] });
    const edited = { ...additive, statements: () => ['alter table runs add column comment text'] };
    const opening = target.open({ migrations: [...allMigrations, edited] });
    await expect(opening).rejects.toSatisfy(MigrationChangedError.isInstance);
  });

  it('make an index once when servers start at the same time, and notice when it was edited', async () => {
    await using target = await createTarget();
    const migrations = [...allMigrations, indexed];
    const stores = await Promise.all([1, 2, 3].map(() => target.open({ migrations })));
    expect(await hasIndex(stores[0]!)).toBe(true);
    const edited = { ...indexed, indexes: [{ name: 'runs_by_created_at', on: 'runs (created_at)' }] };
    const opening = target.open({ migrations: [...allMigrations, edited] });
    await expect(opening).rejects.toSatisfy(MigrationChangedError.isInstance);
  });

  it('leave nothing of a migration that fails half way', async () => {
    await using target = await createTarget();
    const halfWay = { ...additive, statements: () => [...additive.statements('sqlite'), 'create nonsense'] };
    await expect(target.open({ migrations: [...allMigrations, halfWay] })).rejects.toThrow(/nonsense|syntax/);
    const store = await target.open({ migrations: [...allMigrations, additive] });
    await insertRun(store, 'a');
    expect(await countRuns(store)).toBe(1);
  });
});

describe.skipIf(TEST_DATABASE_URL === undefined)('an index of a table that others write', () => {
  it('is made without a lock that they wait for', async () => {
    await using target = await createPostgresTarget();
    const old = await target.open({ lockTimeoutMs: 200, idleInTransactionMs: 60_000, deadlineMs: 30_000 });
    let starting: Promise<Store> | undefined;
    // The index waits for whoever was writing when it began; nobody waits for the index.
    await old.db.transaction().execute(async (transaction) => {
      await sql`insert into runs (tenant_id, run_id, name, created_at) values ('t', 'slow', 'slow', 0)`.execute(
        transaction,
      );
      starting = target.open({ migrations: [...allMigrations, indexed] });
      while ((await readIndexes(old)).length === 0) await sleep(20);
      for (let index = 0; index < 20; index += 1) await insertRun(old, `meanwhile-${index}`);
      expect(await readIndexes(old)).toEqual([false]);
    });
    const next = await starting!;
    expect(await readIndexes(next)).toEqual([true]);
    expect(await countRuns(next)).toBe(21);
  });

  it('that was broken off is made anew', async () => {
    await using target = await createPostgresTarget();
    const old = await target.open({ idleInTransactionMs: 60_000, deadlineMs: 30_000 });
    await old.db.transaction().execute(async (transaction) => {
      await sql`insert into runs (tenant_id, run_id, name, created_at) values ('t', 'slow', 'slow', 0)`.execute(
        transaction,
      );
      const starting = target.open({ migrations: [...allMigrations, indexed] }).catch((error: unknown) => error);
      while ((await readIndexes(old)).length === 0) await sleep(20);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where query like 'create index concurrently if not exists runs_by_created_at%' and pid <> pg_backend_pid()`.execute(
        old.db,
      );
      expect(await starting).toMatchObject({ name: 'StoreUnavailableError' });
    });
    expect(await readIndexes(old)).toEqual([false]);
    const next = await target.open({ migrations: [...allMigrations, indexed] });
    expect(await readIndexes(next)).toEqual([true]);
  });
});

/** Whether each index of that name is valid. */
async function readIndexes({ db }: Store): Promise<boolean[]> {
  const { rows } = await sql<{ is_valid: boolean }>`
    select i.indisvalid as is_valid from pg_index i where i.indexrelid = to_regclass('runs_by_created_at')`.execute(db);
  return rows.map((row) => row.is_valid);
}

async function hasIndex(store: Store): Promise<boolean> {
  if (store.dialect === 'postgres') return (await readIndexes(store))[0] === true;
  const { rows } = await sql`select 1 from sqlite_master where type = 'index' and name = 'runs_by_created_at'`.execute(
    store.db,
  );
  return rows.length === 1;
}

async function insertRun({ db }: Store, name: string): Promise<void> {
  await db.insertInto('runs').values({ tenant_id: 't', run_id: name, name, created_at: 0 }).execute();
}

async function countRuns({ db }: Store): Promise<number> {
  const { count } = await db
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

async function readSchemaName(db: Store['db']): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name;
}

async function readFirstKeyColumn({ db, dialect }: Store, table: string): Promise<string | undefined> {
  const query =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${table}) where pk = 1`
      : sql<{ name: string }>`
          select a.attname as name
          from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indisprimary and i.indrelid = to_regclass(${table})`;
  const { rows } = await query.execute(db);
  return rows[0]?.name;
}

/** What a database is, whoever uses it. */
const isOfNoTenant = (table: string): boolean => table === 'migrations' || table === 'library';
