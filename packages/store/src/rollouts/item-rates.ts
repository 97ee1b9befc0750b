import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';

/** The items of one environment in one run; a run that is started again goes on with them. */
export interface ItemRatesScope {
  store: Store;
  tenantId: string;
  runId: string;
  environment: string;
}

/** Rollouts of an item and how many of them passed, the older ones counting for less; therefore no whole numbers. */
export interface StoredItemRate {
  item: string;
  rollouts: number;
  passed: number;
}

/** SQLite takes 32,766 parameters a statement, and a row has seven. */
const ROWS_PER_STATEMENT = 1_000;

/** Replaces what was known of these items, so that telling it twice is telling it once. */
export async function recordItemRates(options: ItemRatesScope & { rates: readonly StoredItemRate[] }): Promise<void> {
  const { store, tenantId, runId, environment } = options;
  // An item that is told of twice has what was said last.
  const rates = [...new Map(options.rates.map((rate) => [rate.item, rate])).values()];
  const statements = [];
  for (let start = 0; start < rates.length; start += ROWS_PER_STATEMENT) {
    const query = store.db
      .insertInto('item_rates')
      .values(
        rates.slice(start, start + ROWS_PER_STATEMENT).map((rate) => ({
          ...{ tenant_id: tenantId, run_id: runId, environment, ...rate },
          recorded_at: databaseClock(store.dialect),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'run_id', 'environment', 'item']).doUpdateSet((row) => ({
          rollouts: row.ref('excluded.rollouts'),
          passed: row.ref('excluded.passed'),
          recorded_at: row.ref('excluded.recorded_at'),
        })),
      )
      .compile();
    statements.push({ query });
  }
  if (statements.length > 0) await store.commit({ statements });
}

/** The items that were rated last, up to `limit`. */
export async function listItemRates(options: ItemRatesScope & { limit: number }): Promise<StoredItemRate[]> {
  const { store, tenantId, runId, environment, limit } = options;
  return await store.db
    .selectFrom('item_rates')
    .select(['item', 'rollouts', 'passed'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('environment', '=', environment)
    .orderBy('recorded_at', 'desc')
    .orderBy('item')
    .limit(limit)
    .execute();
}
