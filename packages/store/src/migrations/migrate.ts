import { type Kysely, type Transaction, sql } from 'kysely';
import { databaseClock } from '../database/database-clock.ts';
import { MigrationChangedError, SchemaTooNewError } from '../errors/schema-errors.ts';
import type { Database } from '../schema/database.ts';
import type { MigrationsTable } from '../schema/platform.ts';
import { type Migration, type MigrationIndex, type StoreDialect, computeMigrationChecksum } from './migration.ts';

/** How long a server waits for another one that is migrating. */
const MIGRATION_LOCK_WAIT_MS = 30_000;
/** How long one statement may take, such as an index over a large table. */
const MIGRATION_STATEMENT_MS = 60_000;

export interface MigrateOptions {
  /** A query builder whose deadline has room for migrations. */
  db: Kysely<Database>;
  dialect: StoreDialect;
  migrations: readonly Migration[];
  /** Makes indexes outside of a transaction; on SQLite they are made inside of it. */
  buildIndexes: (indexes: readonly MigrationIndex[]) => Promise<void>;
}

/**
 * Brings the database to the newest schema this server knows, one transaction for each migration. If we die after any
 * of them, the next server that opens the database goes on from there. A database that newer servers have migrated
 * further is left as it is and used, unless one of those migrations says that a server as old as this one cannot.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { db } = options;
  // Looked at without the lock first: on nearly every start there is nothing to do.
  for (;;) {
    const next = (await hasMigrationsTable(options)) ? findNext(await readApplied(db), options) : options.migrations[0];
    if (next === undefined) return;
    const { indexes = [] } = next;
    if (options.dialect === 'postgres' && indexes.length > 0) await options.buildIndexes(indexes);
    // Others may have applied it, and more, since we looked.
    await db.transaction().execute((transaction) => applyNext(transaction, options, next));
  }
}

/** Applies that migration, unless another server has. */
async function applyNext(
  transaction: Transaction<Database>,
  options: MigrateOptions,
  migration: Migration,
): Promise<void> {
  const { dialect } = options;
  await lockMigrations(transaction, dialect);
  await sql`
    create table if not exists migrations (
      number bigint not null primary key,
      name text not null,
      checksum text not null,
      min_reader bigint not null,
      applied_at bigint not null
    )`.execute(transaction);
  if (findNext(await readApplied(transaction), options)?.number !== migration.number) return;
  const indexes = dialect === 'sqlite' ? (migration.indexes ?? []) : [];
  for (const { name, on } of indexes) await sql.raw(`create index ${name} on ${on}`).execute(transaction);
  for (const statement of migration.statements(dialect)) await sql.raw(statement).execute(transaction);
  await transaction
    .insertInto('migrations')
    .values({
      number: migration.number,
      name: migration.name,
      checksum: computeMigrationChecksum(migration, dialect),
      min_reader: migration.minReader,
      applied_at: databaseClock(dialect),
    })
    .execute();
}

/** On SQLite the transaction itself is the lock: it starts with BEGIN IMMEDIATE. */
async function lockMigrations(transaction: Transaction<Database>, dialect: StoreDialect): Promise<void> {
  if (dialect === 'sqlite') return;
  await sql.raw(`set local lock_timeout = ${MIGRATION_LOCK_WAIT_MS}`).execute(transaction);
  await sql.raw(`set local statement_timeout = ${MIGRATION_STATEMENT_MS}`).execute(transaction);
  // The second key keeps two schemas of one database apart.
  await sql`select pg_advisory_xact_lock(hashtext('lachesis.migrations'), hashtext(current_schema()))`.execute(
    transaction,
  );
  // From here a lock is a table that running servers use: they must not wait behind us for long.
  await sql`set local lock_timeout = 1000`.execute(transaction);
}

async function hasMigrationsTable({ db, dialect }: MigrateOptions): Promise<boolean> {
  const query =
    dialect === 'sqlite'
      ? sql<{ found: number }>`select count(*) as found from sqlite_master where type = 'table' and name = 'migrations'`
      : sql<{ found: number }>`select case when to_regclass('migrations') is null then 0 else 1 end as found`;
  const { rows } = await query.execute(db);
  return rows[0]?.found === 1;
}

async function readApplied(db: Kysely<Database>): Promise<MigrationsTable[]> {
  return await db.selectFrom('migrations').selectAll().orderBy('number').execute();
}

/** Checks what was applied and returns the first migration that was not. */
function findNext(applied: readonly MigrationsTable[], options: MigrateOptions): Migration | undefined {
  const { migrations, dialect } = options;
  const ownNumber = Math.max(0, ...migrations.map(({ number }) => number));
  const minReader = Math.max(0, ...applied.map((row) => row.min_reader));
  if (minReader > ownNumber) throw new SchemaTooNewError({ minReader, ownNumber });
  const appliedByNumber = new Map(applied.map((row) => [row.number, row]));
  for (const migration of migrations) {
    const row = appliedByNumber.get(migration.number);
    if (row === undefined) return migration;
    if (row.checksum !== computeMigrationChecksum(migration, dialect)) {
      throw new MigrationChangedError({ number: migration.number, name: migration.name });
    }
  }
  return undefined;
}
