import { sql } from 'kysely';
import type { Database } from '../schema/database.ts';
import type { Store } from './store.ts';

/**
 * After many rows at once: PostgreSQL plans by what it counted last, takes a job that it has not counted for one row, and reads all
 * of it for each row that is looked up. It would count by itself a minute later, so that nothing is lost where it cannot now.
 */
export async function refreshStatistics(store: Store, table: keyof Database): Promise<void> {
  if (store.dialect !== 'postgres') return;
  await sql`analyze ${sql.table(table)}`.execute(store.db).catch(() => undefined);
}
