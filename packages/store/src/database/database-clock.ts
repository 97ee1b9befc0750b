import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { StoreDialect } from '../migrations/migration.ts';
import { CLOCK_SQL } from './clock-sql.ts';

/** The database's clock inside a query: for times that must not depend on which machine asks. */
export function databaseClock(dialect: StoreDialect): RawBuilder<number> {
  return sql.raw<number>(CLOCK_SQL[dialect]);
}
