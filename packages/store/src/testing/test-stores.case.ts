import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe } from 'vitest';
import { openStore } from '../database/open-store.ts';
import type { OpenStoreOptions } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import type { StoreDialect } from '../migrations/migration.ts';

/** PostgreSQL cases run when this is set; each target gets a schema of its own in that database. */
export const TEST_DATABASE_URL = process.env.DATABASE_URL_TEST;

/** An empty database of one kind. Stores opened on it are closed and the database is dropped when it is disposed. */
export interface TestTarget extends AsyncDisposable {
  readonly dialect: StoreDialect;
  readonly address: Pick<OpenStoreOptions, 'databaseUrl' | 'sqlitePath'>;
  open(options?: OpenStoreOptions): Promise<Store>;
}

/** Runs the same cases on every database: what is true of the store is true of both. */
export function describeOnEachDialect(title: string, define: (createTarget: () => Promise<TestTarget>) => void): void {
  describe(`${title} on SQLite`, () => {
    define(createSqliteTarget);
  });
  // Skipped without DATABASE_URL_TEST: there is no server to talk to.
  describe.skipIf(TEST_DATABASE_URL === undefined)(`${title} on PostgreSQL`, () => {
    define(createPostgresTarget);
  });
}

export async function createSqliteTarget(): Promise<TestTarget> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-store-'));
  return createTarget('sqlite', { sqlitePath: join(directory, 'store.db') }, () => rm(directory, { recursive: true }));
}

export async function createPostgresTarget(databaseUrl = TEST_DATABASE_URL): Promise<TestTarget> {
  if (databaseUrl === undefined) throw new Error('Set DATABASE_URL_TEST to run the PostgreSQL cases.');
  const schema = `store_${randomBytes(8).toString('hex')}`;
  await runOnServer(databaseUrl, `create schema ${schema}`);
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return createTarget('postgres', { databaseUrl: url.href }, () =>
    runOnServer(databaseUrl, `drop schema ${schema} cascade`),
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

async function runOnServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
