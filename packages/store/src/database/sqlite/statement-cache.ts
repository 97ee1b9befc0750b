import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A prepared statement and whether it gives rows. */
export interface CachedStatement {
  statement: StatementSync;
  returnsRows: boolean;
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
    const entry = { statement, returnsRows: statement.columns().length > 0 };
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
