import type { CompiledQuery, Kysely } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';
import type { Database } from '../schema/database.ts';

/** One statement of a unit, made with `.compile()` on a query of `store.db`. */
export interface WriteStatement {
  query: CompiledQuery;
  /** How many rows it must change. Another count rolls the unit back with a StaleWriteError. */
  expectRows?: number;
}

/** Statements that are kept together or not at all. */
export interface WriteUnit {
  statements: readonly WriteStatement[];
}

export interface CommitReceipt {
  /** The database's clock in the committing transaction, milliseconds since the epoch. */
  databaseNow: number;
}

/** An open database, SQLite or PostgreSQL: queries through `db`, writes through `commit`. */
export interface Store {
  readonly dialect: StoreDialect;
  /** Ordinary queries and transactions. The deadline of each starts with the wait for a connection. */
  readonly db: Kysely<Database>;
  /**
   * All statements or none, in order; on disk when it resolves. When it rejects with an error whose `outcome` is
   * `unknown`, the unit may be on disk: read back before writing again.
   */
  commit(unit: WriteUnit, options?: { deadlineMs?: number }): Promise<CommitReceipt>;
  /** The database's clock, milliseconds since the epoch. */
  now(): Promise<number>;
  /** Waits for what is under way, then lets go of everything. May be called twice. */
  close(): Promise<void>;
}
