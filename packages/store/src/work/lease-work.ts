import { CLOCK_SQL } from '../database/clock-sql.ts';
import { writeSql } from '../database/write-row.ts';
import { leaseSql } from '../leases/lease-sql.ts';
import type { WorkItemsTable } from '../schema/work.ts';
import type { LeasedWork, JobRef } from './work-job.ts';
import { unpackValue } from './work-payload.ts';

export interface WorkLease {
  /** Who works: one life of one process. */
  holder: string;
  leaseSeconds: number;
}

type AcquiredRow = Pick<
  WorkItemsTable,
  'item_index' | 'attempt' | 'conversation' | 'epoch' | 'cost' | 'input' | 'input_digest'
>;

/**
 * Leases the first items that are ready or whose lease has run out. One statement on both engines; on PostgreSQL calls that
 * meet pass over each other's rows and do not wait. Die after it: the lease runs out.
 */
export async function acquireWork(options: JobRef & WorkLease & { count: number }): Promise<LeasedWork[]> {
  const { store, blobs, tenantId, name, holder, leaseSeconds, count } = options;
  const { dialect } = store;
  const now = CLOCK_SQL[dialect];
  const skip = dialect === 'postgres' ? 'for update skip locked' : '';
  // The rows are picked apart: inside a condition PostgreSQL may run the pick once for each row, and lease more than asked for.
  const { query } = writeSql({
    dialect,
    text: `with picked as materialized (
      select item_index as place from work_items
      where tenant_id = ? and name = ? and state in ('ready', 'leased')
        and ((state = 'ready' and ready_at <= ${now}) or (state = 'leased' and ${leaseSql.isExpired(dialect)}))
      order by item_index limit ? ${skip}
    )
    update work_items set state = 'leased', ${leaseSql.acquire(dialect, leaseSeconds)}, changed_at = ${now}
    from picked
    where tenant_id = ? and name = ? and item_index = place
    returning item_index, attempt, conversation, epoch, cost, input, input_digest`,
    parameters: [tenantId, name, count, holder, tenantId, name],
  });
  const { rows } = await store.db.executeQuery<AcquiredRow>(query);
  const items = rows.map(
    async ({ item_index: index, attempt, conversation, epoch, cost, input: bytes, input_digest: digest }) => ({
      ...{ index, attempt, conversation, holder, epoch, cost },
      input: await unpackValue({ bytes, digest }, blobs),
    }),
  );
  return (await Promise.all(items)).sort((left, right) => left.index - right.index);
}

/** Makes the leases of a holder longer; answers which items it still has, with their epochs. */
export async function renewWork(options: JobRef & WorkLease): Promise<Map<number, number>> {
  const { store, tenantId, name, holder, leaseSeconds } = options;
  const { query } = writeSql({
    dialect: store.dialect,
    text: `update work_items set ${leaseSql.extend(store.dialect, leaseSeconds)}
      where tenant_id = ? and name = ? and state = 'leased' and holder = ?
      returning item_index, epoch`,
    parameters: [tenantId, name, holder],
  });
  const { rows } = await store.db.executeQuery<{ item_index: number; epoch: number }>(query);
  return new Map(rows.map(({ item_index: index, epoch }) => [index, epoch]));
}

/** Releases what holders have that will never write again; answers how many items. */
export async function releaseGoneWork(
  options: Omit<JobRef, 'blobs'> & { isGone: (holder: string) => boolean },
): Promise<number> {
  const { store, tenantId, name, isGone } = options;
  const { dialect } = store;
  const holders = await store.db
    .selectFrom('work_items')
    .select('holder')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('state', '=', 'leased')
    .execute();
  const gone = holders.flatMap(({ holder }) => (holder !== null && isGone(holder) ? [holder] : []));
  if (gone.length === 0) return 0;
  const { query } = writeSql({
    dialect,
    text: `update work_items set state = 'ready', ${leaseSql.release}, changed_at = ${CLOCK_SQL[dialect]}
      where tenant_id = ? and name = ? and state = 'leased' and holder in (${gone.map(() => '?').join(', ')})`,
    parameters: [tenantId, name, ...gone],
  });
  const { numAffectedRows } = await store.db.executeQuery(query);
  return Number(numAffectedRows ?? 0);
}
