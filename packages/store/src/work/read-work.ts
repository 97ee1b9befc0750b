import { sql } from 'kysely';
import { WORK_STATES, type WorkState } from '../schema/work.ts';
import type { LeasedWork, WorkCounts, WorkItem, WorkJob, JobRef } from './work-job.ts';
import { unpackValue } from './work-payload.ts';

/** A page is read while others write: SQLite has one connection. */
const PAGE_ITEMS = 200;

/** A job by its name, or undefined when there is none. */
export async function findWorkJob({ store, tenantId, name }: Omit<JobRef, 'blobs'>): Promise<WorkJob | undefined> {
  const row = await store.db
    .selectFrom('work_jobs')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { settings, input_digest: inputDigest, item_count: itemCount, created_at: createdAt } = row;
  return { name, settings: JSON.parse(settings) as unknown, inputDigest, itemCount, createdAt };
}

/** The finished turns of an item's conversation, in order. */
export async function readWorkTurns(
  options: JobRef & { item: Pick<LeasedWork, 'conversation' | 'index'> },
): Promise<unknown[]> {
  const { store, blobs, tenantId, name, item } = options;
  const rows = await store.db
    .selectFrom('work_turns')
    .select(['payload', 'payload_digest'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('item_index', '=', item.index)
    .where('conversation', '=', item.conversation)
    .orderBy('turn_index')
    .execute();
  return Promise.all(rows.map(({ payload, payload_digest: digest }) => unpackValue({ bytes: payload, digest }, blobs)));
}

/** How many items of a job are in each state, and what they cost together. */
export async function countWork({ store, tenantId, name }: Omit<JobRef, 'blobs'>): Promise<WorkCounts> {
  const rows = await store.db
    .selectFrom('work_items')
    .select((eb) => ['state', eb.fn.countAll<number>().as('items'), eb.fn.sum<number>('cost').as('cost')])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .groupBy('state')
    .execute();
  const counts = Object.fromEntries(WORK_STATES.map((state) => [state, 0])) as Record<WorkState, number>;
  let cost = 0;
  for (const row of rows) {
    counts[row.state] = row.items;
    cost += row.cost;
  }
  return { ...counts, cost };
}

/** How long until something can be claimed again that cannot be now; undefined when nothing is left to do. */
export async function findWorkWait({ store, tenantId, name }: Omit<JobRef, 'blobs'>): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select min(case when state = 'ready' then ready_at else lease_expires_at end) as at from work_items
    where tenant_id = ${tenantId} and name = ${name} and state in ('ready', 'leased')`.execute(store.db);
  const at = rows[0]?.at ?? null;
  return at === null ? undefined : Math.max(0, at - (await store.now()));
}

export interface IterateWorkOptions extends JobRef {
  states?: readonly WorkState[];
  /** From this item on. */
  from?: number;
  /** Up to this item and without it. */
  to?: number;
}

/** Items in the order of their index. */
export async function* iterateWork(options: IterateWorkOptions): AsyncGenerator<WorkItem> {
  const { store, blobs, tenantId, name, states = WORK_STATES, from = 0, to = Number.MAX_SAFE_INTEGER } = options;
  for (let next = from; ;) {
    const rows = await store.db
      .selectFrom('work_items')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('name', '=', name)
      .where('item_index', '>=', next)
      .where('item_index', '<', to)
      .where('state', 'in', [...states])
      .orderBy('item_index')
      .limit(PAGE_ITEMS)
      .execute();
    for (const row of rows) {
      const { item_index: index, state, attempt, cost, reason } = row;
      const [input, result] = await Promise.all([
        unpackValue({ bytes: row.input, digest: row.input_digest }, blobs),
        unpackValue({ bytes: row.result, digest: row.result_digest }, blobs),
      ]);
      yield { index, state, attempt, cost, reason, input, result };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ITEMS) return;
    next = last.item_index + 1;
  }
}

/** The state of every item by its index. */
export async function listWorkStates({ store, tenantId, name }: Omit<JobRef, 'blobs'>): Promise<WorkState[]> {
  const rows = await store.db
    .selectFrom('work_items')
    .select(['item_index', 'state'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .orderBy('item_index')
    .execute();
  return rows.map(({ state }) => state);
}
