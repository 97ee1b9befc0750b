import type { StoreDialect } from '../migrations/migration.ts';

/**
 * SQL text for the database's clock in whole milliseconds; rounded, because seconds as a float end in .9999. In a file without
 * the query builder: the thread of SQLite needs this text, and would take five times as long to start with it.
 */
export const CLOCK_SQL: Readonly<Record<StoreDialect, string>> = Object.freeze({
  sqlite: `cast(round(unixepoch('subsec') * 1000) as integer)`,
  postgres: `cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
});
