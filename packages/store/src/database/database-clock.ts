import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';

/** SQL text for the database's clock in whole milliseconds; rounded, because seconds as a float end in .9999. */
export const CLOCK_SQL: Readonly<Record<StoreDialect, string>> = Object.freeze({
  sqlite: `cast(round(unixepoch('subsec') * 1000) as integer)`,
  postgres: `cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
});

/** The database's clock inside a query: for times that must not depend on which machine asks. */
export function databaseClock(dialect: StoreDialect): RawBuilder<number> {
  return sql.raw<number>(CLOCK_SQL[dialect]);
}
