import { sql } from 'kysely';
import { dropBlobReference } from '../blobs/blob-references.ts';
import { databaseClock } from '../database/database-clock.ts';
import type { WriteStatement } from '../database/store.ts';
import type { JobRef } from './work-job.ts';
import { packValue } from './work-payload.ts';

type Place = Omit<JobRef, 'blobs'>;

const COMMIT_DEADLINE_MS = 300_000;

/** Makes failed items ready that may have more attempts than they had; answers how many. */
export async function retryFailedWork(options: Place & { maxAttempts: number }): Promise<number> {
  const { store, tenantId, name, maxAttempts } = options;
  const { numUpdatedRows } = await store.db
    .updateTable('work_items')
    .set((eb) => ({
      ...{ state: 'ready' as const, ready_at: 0, changed_at: databaseClock(store.dialect) },
      attempt: eb('attempt', '+', 1),
      // What failed for good is asked again from its beginning.
      conversation: eb('attempt', '+', 1),
    }))
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('state', '=', 'failed')
    .where('attempt', '<', maxAttempts)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Takes an item as done that somebody else did, if nobody has begun it. */
export async function adoptWork(options: JobRef & { index: number; result: unknown }): Promise<boolean> {
  const { store, tenantId, name, index, result } = options;
  const { bytes, digest, statements } = await packValue(options, result);
  const query = store.db
    .updateTable('work_items')
    .set({ state: 'done', result: bytes, result_digest: digest, changed_at: databaseClock(store.dialect) })
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('item_index', '=', index)
    .where('state', '=', 'ready')
    .where('epoch', '=', 0)
    .compile();
  await store.commit({ statements: [{ query, expectRows: 1 }, ...statements] });
  return true;
}

/**
 * Takes the next places in the row of requests: `count` of them, `intervalMs` apart. Answers in how many milliseconds the
 * first may be sent. Every worker of the job takes from the same row.
 */
export async function reserveRequests(options: Place & { count: number; intervalMs: number }): Promise<number> {
  const { store, tenantId, name, count, intervalMs } = options;
  const now = databaseClock(store.dialect);
  const span = Math.round(count * intervalMs);
  const { rows } = await sql<{ next: number; now: number }>`
    update work_jobs
    set next_request_at = case when next_request_at > ${now} then next_request_at else ${now} end + ${span}
    where tenant_id = ${tenantId} and name = ${name}
    returning next_request_at as next, ${now} as now`.execute(store.db);
  const [row] = rows;
  return row === undefined ? 0 : Math.max(0, row.next - span - row.now);
}

/** Nobody sends before so many milliseconds have passed, as a server that is asked too much wants it. */
export async function pauseRequests(options: Place & { ms: number }): Promise<void> {
  const { store, tenantId, name, ms } = options;
  const until = sql<number>`${databaseClock(store.dialect)} + ${Math.round(ms)}`;
  await sql`
    update work_jobs set next_request_at = ${until}
    where tenant_id = ${tenantId} and name = ${name} and next_request_at < ${until}`.execute(store.db);
}

/** How long nobody may send, in milliseconds. */
export async function readRequestPause({ store, tenantId, name }: Place): Promise<number> {
  const row = await store.db
    .selectFrom('work_jobs')
    .select(['next_request_at', databaseClock(store.dialect).as('now')])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? 0 : Math.max(0, row.next_request_at - row.now);
}

/** Forgets a job with its items, turns and results, in one commit. */
export async function forgetWorkJob({ store, tenantId, name }: Place): Promise<void> {
  const { db } = store;
  const items = await db
    .selectFrom('work_items')
    .select(['input_digest', 'result_digest'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where((eb) => eb.or([eb('input_digest', 'is not', null), eb('result_digest', 'is not', null)]))
    .execute();
  const turns = await db
    .selectFrom('work_turns')
    .select('payload_digest')
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('payload_digest', 'is not', null)
    .execute();
  const digests = [
    ...items.flatMap((row) => [row.input_digest, row.result_digest]),
    ...turns.map((row) => row.payload_digest),
  ].filter((digest) => digest !== null);
  const deletes: WriteStatement[] = (['work_turns', 'work_items', 'work_jobs'] as const).map((table) => ({
    query: db.deleteFrom(table).where('tenant_id', '=', tenantId).where('name', '=', name).compile(),
  }));
  const drops = digests.map((digest) => dropBlobReference({ store, tenantId, digest }));
  await store.commit({ statements: [...deletes, ...drops] }, { deadlineMs: COMMIT_DEADLINE_MS });
}
