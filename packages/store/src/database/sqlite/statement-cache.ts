import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A prepared statement that gives its rows as arrays. */
export interface CachedStatement {
  statement: StatementSync;
  /** The names of the values of a row when it was prepared: none for one that gives no rows. */
  columns: readonly string[];
  /** After a schema change `*` stands for another list, which SQLite takes up as it runs the statement. */
  hasStar: boolean;
}

/** Only these are worth keeping: a schema change runs once and would stay prepared for ever. */
const CACHEABLE = /^\s*(?:select|insert|update|delete|with)\b/i;

/** Keeps the most recently used prepared statements. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync, maxEntries: number) {
    this.#database = database;
    this.#maxEntries = maxEntries;
  }

  prepare(sql: string): CachedStatement {
    const cached = this.#entries.get(sql);
    if (cached !== undefined) {
      // A Map keeps the order of insertion, so putting it back makes it the youngest.
      this.#entries.delete(sql);
      this.#entries.set(sql, cached);
      return cached;
    }
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const entry = { statement, columns: listColumns(statement), hasStar: sql.includes('*') };
    if (CACHEABLE.test(sql)) {
      this.#entries.set(sql, entry);
      if (this.#entries.size > this.#maxEntries) {
        for (const oldest of this.#entries.keys()) {
          this.#entries.delete(oldest);
          break;
        }
      }
    }
    return entry;
  }
}

export function listColumns(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}
