import type { TrajectoryFilter } from '@lachesis/protocol';
import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import { listConditions } from './filter-conditions.ts';

/** How many trajectories fit, and no more than `most`; null where a text is looked for, which is found and not counted. */
export async function countTrajectories(options: {
  store: Store;
  tenantId: string;
  filter: TrajectoryFilter;
  most: number;
}): Promise<number | null> {
  const { store, tenantId, filter, most } = options;
  if (filter.text !== undefined && filter.text.trim() !== '') return null;
  const conditions = listConditions({ dialect: store.dialect, tenantId, filter });
  const where = sql.join([sql`t.tenant_id = ${tenantId}`, ...conditions], sql` and `);
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from (select 1 as one from trajectories t where ${where} limit ${most}) f`.execute(
    store.db,
  );
  return Number(rows[0]?.count ?? 0);
}
