import { sql } from 'kysely';
import { leaseSql } from '../leases/lease-sql.ts';
import { WORK_STATES } from '../schema/work.ts';
import type { JobRef, WorkItem, WorkJobSummary } from './work-job.ts';

export interface ListWorkJobsOptions extends Pick<JobRef, 'store' | 'tenantId'> {
  /** This one alone. */
  name?: string | undefined;
  /** Those that stand behind this one in the list. */
  before?: Pick<WorkJobSummary, 'createdAt' | 'name'> | undefined;
  limit: number;
}

/**
 * Jobs of a tenant, the newest first, each with how far it is: one query, however many they are. Columns behind the input
 * of an item are not read: SQLite would go through everything that was put in to reach them.
 */
export async function listWorkJobs(options: ListWorkJobsOptions): Promise<WorkJobSummary[]> {
  const { store, tenantId, name, before, limit } = options;
  const { db, dialect } = store;
  let page = db
    .selectFrom('work_jobs')
    .select(['name', 'item_count', 'created_at', 'changed_at'])
    .where('tenant_id', '=', tenantId);
  if (name !== undefined) page = page.where('name', '=', name);
  if (before !== undefined) {
    const { createdAt, name: last } = before;
    page = page.where((eb) =>
      eb.or([eb('created_at', '<', createdAt), eb.and([eb('created_at', '=', createdAt), eb('name', '>', last)])]),
    );
  }
  const isHeld = sql<boolean>`item.state = 'leased' and not (${sql.raw(leaseSql.isExpired(dialect))})`;
  const rows = await db
    .selectFrom(page.orderBy('created_at', 'desc').orderBy('name').limit(limit).as('job'))
    .leftJoin('work_items as item', (join) =>
      join.on('item.tenant_id', '=', tenantId).onRef('item.name', '=', 'job.name'),
    )
    .select(['job.name', 'job.item_count', 'job.created_at', 'job.changed_at'])
    .select(({ fn }) => [
      ...WORK_STATES.map((state) =>
        fn.count<number>('item.item_index').filterWhere('item.state', '=', state).as(state),
      ),
      fn.sum<number | null>('item.cost').as('cost'),
      fn.count<number>('item.item_index').filterWhere(isHeld).as('held'),
    ])
    .groupBy(['job.name', 'job.item_count', 'job.created_at', 'job.changed_at'])
    .orderBy('job.created_at', 'desc')
    .orderBy('job.name')
    .execute();
  return rows.map(({ ready, leased, done, discarded, failed, cost, held, ...row }) => ({
    ...{ name: row.name, itemCount: row.item_count, createdAt: row.created_at, changedAt: row.changed_at },
    ...{ counts: { ready, leased, done, discarded, failed, cost: cost ?? 0 }, isWorkedOn: held > 0 },
  }));
}

/** The first items of a job that failed for good, with the reason of the last attempt; nothing of what went in or came out. */
export async function listWorkFailures(
  options: Omit<JobRef, 'blobs'> & { limit: number },
): Promise<Pick<WorkItem, 'attempt' | 'index' | 'reason'>[]> {
  const { store, tenantId, name, limit } = options;
  return await store.db
    .selectFrom('work_items')
    .select(['item_index as index', 'attempt', 'reason'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('state', '=', 'failed')
    .orderBy('item_index')
    .limit(limit)
    .execute();
}
