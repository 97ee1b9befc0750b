import { createHash, type Hash } from 'node:crypto';
import { databaseClock } from '../database/database-clock.ts';
import { refreshStatistics } from '../database/refresh-statistics.ts';
import type { WriteStatement } from '../database/store.ts';
import { insertRows } from '../database/write-row.ts';
import type { WorkItemsTable } from '../schema/work.ts';
import type { WorkJob, JobRef } from './work-job.ts';
import { packValue } from './work-payload.ts';

/** A hundred thousand items are one commit. */
const COMMIT_DEADLINE_MS = 300_000;
/** With fewer, reading all of them costs less than a turn over the network. */
const MANY = 200;

/** Of inputs in order; the first so many of a longer list are told from another list by it. */
export function digestInputs(inputs: readonly unknown[], count = inputs.length): string {
  const hash: Hash = createHash('sha256');
  for (const input of inputs.slice(0, count)) hash.update(`${JSON.stringify(input)}\n`);
  return hash.digest('hex');
}

/**
 * Makes a job and its items in one commit; a StoreConflictError when there is one of that name. Die before the commit: at most
 * blobs without a row, which the collector takes.
 */
export async function createWorkJob(
  options: JobRef & { settings: unknown; inputs: readonly unknown[] },
): Promise<void> {
  const { store, tenantId, name, settings, inputs } = options;
  const now = await store.now();
  const job = store.db
    .insertInto('work_jobs')
    .values({
      ...{ tenant_id: tenantId, name, settings: JSON.stringify(settings), input_digest: digestInputs(inputs) },
      ...{ item_count: inputs.length, next_request_at: 0, created_at: now, changed_at: now },
    })
    .compile();
  const statements = [{ query: job, expectRows: 1 }, ...(await insertItems(options, inputs, 0, now))];
  await store.commit({ statements }, { deadlineMs: COMMIT_DEADLINE_MS });
  if (inputs.length >= MANY) await refreshStatistics(store, 'work_items');
}

/** Adds the inputs behind those that are there. A StaleWriteError when somebody else did so meanwhile. */
export async function extendWorkJob(options: JobRef & { inputs: readonly unknown[]; job: WorkJob }): Promise<void> {
  const { store, tenantId, name, inputs, job } = options;
  const now = await store.now();
  const change = store.db
    .updateTable('work_jobs')
    .set({ item_count: inputs.length, input_digest: digestInputs(inputs), changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .where('item_count', '=', job.itemCount)
    .compile();
  const added = await insertItems(options, inputs.slice(job.itemCount), job.itemCount, now);
  await store.commit({ statements: [{ query: change, expectRows: 1 }, ...added] }, { deadlineMs: COMMIT_DEADLINE_MS });
  if (inputs.length - job.itemCount >= MANY) await refreshStatistics(store, 'work_items');
}

/** Stores other settings for a job that exists; its items stay as they are. */
export async function changeWorkSettings({
  store,
  tenantId,
  name,
  settings,
}: JobRef & { settings: unknown }): Promise<void> {
  await store.db
    .updateTable('work_jobs')
    .set({ settings: JSON.stringify(settings), changed_at: databaseClock(store.dialect) })
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .execute();
}

async function insertItems(
  place: JobRef,
  inputs: readonly unknown[],
  first: number,
  now: number,
): Promise<WriteStatement[]> {
  const { store, tenantId, name } = place;
  const references: WriteStatement[] = [];
  const rows: Partial<WorkItemsTable>[] = [];
  for (const [at, input] of inputs.entries()) {
    const { bytes, digest, statements } = await packValue(place, input);
    references.push(...statements);
    rows.push({
      ...{ tenant_id: tenantId, name, item_index: first + at, state: 'ready', attempt: 1, conversation: 1, epoch: 0 },
      ...{ ready_at: 0, cost: 0, input: bytes, input_digest: digest, changed_at: now },
    });
  }
  return [...references, ...insertRows({ dialect: store.dialect, table: 'work_items', rows })];
}
