import { sql } from 'kysely';
import { databaseClock } from '../database/database-clock.ts';
import type { WorkItemsTable } from '../schema/work.ts';
import type { LeasedWork, WorkPlace } from './work-job.ts';
import { unpackValue } from './work-payload.ts';

export interface WorkLease {
  /** Who works: one life of one process. */
  holder: string;
  leaseSeconds: number;
}

type ClaimedRow = Pick<
  WorkItemsTable,
  'item_index' | 'attempt' | 'conversation' | 'epoch' | 'cost' | 'input' | 'input_digest'
>;

/**
 * Leases the first items that are ready or whose lease has run out. One statement on both engines; on PostgreSQL claims that
 * meet pass over each other's rows and do not wait. Die after it: the lease runs out.
 */
export async function claimWork(options: WorkPlace & WorkLease & { count: number }): Promise<LeasedWork[]> {
  const { store, blobs, tenantId, name, holder, leaseSeconds, count } = options;
  const now = databaseClock(store.dialect);
  const skip = store.dialect === 'postgres' ? sql`for update skip locked` : sql``;
  // The rows are picked apart: inside a condition PostgreSQL may run the pick once for each row, and lease more than asked for.
  const { rows } = await sql<ClaimedRow>`
    with picked as materialized (
      select item_index as place from work_items
      where tenant_id = ${tenantId} and name = ${name} and state in ('ready', 'leased')
        and ((state = 'ready' and ready_at <= ${now}) or (state = 'leased' and lease_expires_at <= ${now}))
      order by item_index limit ${count} ${skip}
    )
    update work_items
    set state = 'leased', epoch = epoch + 1, holder = ${holder}, lease_expires_at = ${now} + ${leaseSeconds * 1000},
      changed_at = ${now}
    from picked
    where tenant_id = ${tenantId} and name = ${name} and item_index = place
    returning item_index, attempt, conversation, epoch, cost, input, input_digest`.execute(store.db);
  const items = rows.map(
    async ({ item_index: index, attempt, conversation, epoch, cost, input: bytes, input_digest: digest }) => ({
      ...{ index, attempt, conversation, epoch, cost },
      input: await unpackValue({ bytes, digest }, blobs),
    }),
  );
  return (await Promise.all(items)).sort((left, right) => left.index - right.index);
}

/** Makes the leases of a holder longer; answers which items it still has, with their epochs. */
export async function renewWork(options: WorkPlace & WorkLease): Promise<Map<number, number>> {
  const { store, tenantId, name, holder, leaseSeconds } = options;
  const { rows } = await sql<{ item_index: number; epoch: number }>`
    update work_items set lease_expires_at = ${databaseClock(store.dialect)} + ${leaseSeconds * 1000}
    where tenant_id = ${tenantId} and name = ${name} and state = 'leased' and holder = ${holder}
    returning item_index, epoch`.execute(store.db);
  return new Map(rows.map(({ item_index: index, epoch }) => [index, epoch]));
}

/** Gives back what holders have that will never write again; answers how many items. */
export async function takeBackWork(
  options: Omit<WorkPlace, 'blobs'> & { isGone: (holder: string) => boolean },
): Promise<number> {
  const { store, tenantId, name, isGone } = options;
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
  const { numUpdatedRows } = await store.db
    .updateTable('work_items')
    .set({ state: 'ready', holder: null, lease_expires_at: null, changed_at: databaseClock(store.dialect) })
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('state', '=', 'leased')
    .where('holder', 'in', gone)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
