import { Kysely } from 'kysely';
import { allMigrations } from '../migrations/all-migrations.ts';
import { buildIndexes } from '../migrations/build-indexes.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Migration, MigrationIndex } from '../migrations/migration.ts';
import type { Database } from '../schema/database.ts';
import { databaseClock } from './database-clock.ts';
import type { DatabaseEngine } from './engine.ts';
import type { Store } from './store.ts';

export interface OpenStoreOptions {
  /** `postgres://…`; give this or `sqlitePath`. */
  databaseUrl?: string;
  /** The database file; made when it does not exist, with its folder. */
  sqlitePath?: string;
  /** For every query and commit, from the wait for a connection to the last answer. Default 5 s. */
  deadlineMs?: number;
  /** PostgreSQL connections of this process, at most. Default and limit 10. */
  poolSize?: number;
  /** How long one connection attempt to PostgreSQL may take. Default 2 s. */
  connectTimeoutMs?: number;
  /** How long a PostgreSQL statement waits for a lock. Default 1 s. */
  lockTimeoutMs?: number;
  /** When PostgreSQL ends a transaction whose client says nothing. Default 10 s. */
  idleInTransactionMs?: number;
  /** PostgreSQL settings for every connection. Default `{ synchronous_commit: 'on' }`; what is given here wins. */
  sessionSettings?: Readonly<Record<string, string>>;
  /** Told about idle connections that broke; the store has recovered already. */
  onBackgroundError?: (error: Error) => void;
  /** What the schema is made of. */
  migrations?: readonly Migration[];
}

/** More connections do not make one PostgreSQL faster; they only let it swap between more transactions. */
const MAX_POOL_SIZE = 10;
/** Room for waiting until another server has migrated, and then for migrating. */
const MIGRATION_DEADLINE_MS = 120_000;
const INDEX_DEADLINE_MS = 7 * 24 * 3_600_000;

/** Opens the database and brings its schema up to date. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { deadlineMs = 5_000, migrations = allMigrations } = options;
  const engine = await openEngine(options, deadlineMs);
  try {
    const migrator = new Kysely<Database>({
      dialect: engine.createKyselyDialect({ deadlineMs: MIGRATION_DEADLINE_MS }),
    });
    await migrate({
      ...{ db: migrator, dialect: engine.dialect, migrations },
      buildIndexes: (indexes) => buildWithoutLimit(options, indexes),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  return createStore(engine, deadlineMs);
}

/** Indexes of a large table take hours, on connections that nothing ends. */
async function buildWithoutLimit(options: OpenStoreOptions, indexes: readonly MigrationIndex[]): Promise<void> {
  const sessionSettings = { ...options.sessionSettings, statement_timeout: '0', lock_timeout: '0' };
  const engine = await openEngine({ ...options, poolSize: 1, sessionSettings }, INDEX_DEADLINE_MS);
  try {
    const dialect = engine.createKyselyDialect({ deadlineMs: INDEX_DEADLINE_MS });
    await buildIndexes(new Kysely<Database>({ dialect }), indexes);
  } finally {
    await engine.close();
  }
}

/** Loads one engine only: the other's driver would cost memory and start-up time for nothing. */
async function openEngine(options: OpenStoreOptions, deadlineMs: number): Promise<DatabaseEngine> {
  const { databaseUrl, sqlitePath } = options;
  if (databaseUrl !== undefined && sqlitePath === undefined) {
    const { openPostgresEngine } = await import('./postgres/postgres-engine.ts');
    return openPostgresEngine({
      databaseUrl,
      deadlineMs,
      poolSize: Math.max(1, Math.min(options.poolSize ?? MAX_POOL_SIZE, MAX_POOL_SIZE)),
      connectTimeoutMs: options.connectTimeoutMs ?? 2_000,
      lockTimeoutMs: options.lockTimeoutMs ?? 1_000,
      idleInTransactionMs: options.idleInTransactionMs ?? 10_000,
      sessionSettings: options.sessionSettings ?? {},
      onBackgroundError: options.onBackgroundError ?? ignoreBackgroundError,
    });
  }
  if (sqlitePath !== undefined && databaseUrl === undefined) {
    const { openSqliteEngine } = await import('./sqlite/sqlite-engine.ts');
    return openSqliteEngine({ path: sqlitePath, deadlineMs });
  }
  throw new Error('A store needs one database: give `databaseUrl` for PostgreSQL or `sqlitePath` for a file.');
}

/** The pool has dropped the connection; whoever wants to know passes `onBackgroundError`. */
function ignoreBackgroundError(): void {}

function createStore(engine: DatabaseEngine, deadlineMs: number): Store {
  const db = new Kysely<Database>({ dialect: engine.createKyselyDialect({ deadlineMs }) });
  let closing: Promise<void> | undefined;
  return {
    dialect: engine.dialect,
    db,
    commit: (unit, commitOptions) => engine.commit(unit, commitOptions?.deadlineMs ?? deadlineMs),
    async now() {
      const { now } = await db.selectNoFrom(databaseClock(engine.dialect).as('now')).executeTakeFirstOrThrow();
      return now;
    },
    close: () => (closing ??= engine.close()),
  };
}
