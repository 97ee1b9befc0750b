import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openStore } from '../database/open-store.ts';
import type { OpenStoreOptions } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import type { StoreDialect } from '../migrations/migration.ts';
import { addressSchema, createSchema, dropSchema, takeSchema } from './migrated-schemas.fixture.ts';
import { copyMigratedFile } from './migrated-file.fixture.ts';

/** PostgreSQL cases run when this is set; each target has a schema to itself in that database. */
export const TEST_DATABASE_URL = process.env.DATABASE_URL_TEST;

/** A database of one kind, without a row. Stores opened on it are closed and the database is dropped when it is disposed. */
export interface TestTarget extends AsyncDisposable {
  readonly dialect: StoreDialect;
  readonly address: Pick<OpenStoreOptions, 'databaseUrl' | 'sqlitePath'>;
  open(options?: OpenStoreOptions): Promise<Store>;
}

/** What a database holds when a test gets it: every table and no row, or nothing at all. */
type Start = 'migrated' | 'empty';

type Define = (createTarget: () => Promise<TestTarget>) => void;

/** Runs the same cases on every database: what is true of the store is true of both. Every table is there, and no row. */
export function describeOnEachDialect(title: string, define: Define): void {
  describeStarting('migrated', title, define);
}

/** The same for cases that are about the migrations themselves: their databases are new and hold nothing. */
export function describeOnEachEmptyDatabase(title: string, define: Define): void {
  describeStarting('empty', title, define);
}

function describeStarting(start: Start, title: string, define: Define): void {
  describe(`${title} on SQLite`, () => {
    define(() => createSqliteTarget(start));
  });
  // Skipped without DATABASE_URL_TEST: there is no server to talk to.
  describe.skipIf(TEST_DATABASE_URL === undefined)(`${title} on PostgreSQL`, () => {
    define(() => createPostgresTarget(start));
  });
}

export async function createSqliteTarget(start: Start = 'migrated'): Promise<TestTarget> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-store-'));
  const sqlitePath = join(directory, 'store.db');
  if (start === 'migrated') await copyMigratedFile(sqlitePath);
  return createTarget('sqlite', { sqlitePath }, () => rm(directory, { recursive: true }));
}

export async function createPostgresTarget(start: Start = 'migrated'): Promise<TestTarget> {
  const databaseUrl = TEST_DATABASE_URL;
  if (databaseUrl === undefined) throw new Error('Set DATABASE_URL_TEST to run the PostgreSQL cases.');
  if (start === 'migrated') {
    const schema = await takeSchema(databaseUrl);
    return createTarget('postgres', { databaseUrl: schema.url }, () => schema.giveBack());
  }
  const name = await createSchema(databaseUrl);
  return createTarget('postgres', { databaseUrl: addressSchema(databaseUrl, name) }, () =>
    dropSchema(databaseUrl, name),
  );
}

function createTarget(dialect: StoreDialect, address: TestTarget['address'], drop: () => Promise<unknown>): TestTarget {
  const stores: Store[] = [];
  return {
    dialect,
    address,
    async open(options) {
      const store = await openStore({ ...address, ...options });
      stores.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
      await drop();
    },
  };
}
