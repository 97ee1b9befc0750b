import type { StoreDialect } from '../migration.ts';

/**
 * For tables whose rows are updated and deleted all the time: half-empty pages keep an update on its page, and vacuum
 * starts after a few hundred dead rows instead of a fifth of the table, because a scan over dead rows is what slows a
 * queue down.
 */
const POSTGRES_HOT =
  'with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200, ' +
  'autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000)';

/** Table options for a hot table. On SQLite the rows live in the primary key's tree, so a write touches one tree. */
export function hotTableOptions(dialect: StoreDialect): string {
  return dialect === 'postgres' ? POSTGRES_HOT : 'without rowid';
}
