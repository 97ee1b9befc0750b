import { sql } from 'kysely';
import { addBlobReference, dropBlobReference } from '../blobs/blob-references.ts';
import { databaseClock } from '../database/database-clock.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import type { StepRolloutsTable } from '../schema/training.ts';

/** The steps of one incarnation of a run. */
export interface StepRolloutsScope {
  store: Store;
  tenantId: string;
  incarnationId: string;
}

/** A blob that is on disk already. */
export interface StoredBlob {
  digest: string;
  bytes: number;
}

/** The rollouts of one step, as the trainer reports them. */
export interface StepRollouts {
  step: number;
  batchId: string;
  /** The version of the weights before the step. */
  policyVersion: number;
  groupCount: number;
  rolloutCount: number;
  trainedTokens: number;
  rewardMean: number | null;
  rewardLow: number | null;
  rewardHigh: number | null;
  /** The item of each group, in the order of the batch. */
  items: readonly string[];
  report: StoredBlob;
  logprobs: StoredBlob | undefined;
}

/**
 * Keeps what was reported of a step, with the references of its blobs, in one commit. A step that is made again, as after
 * a crash, replaces what was said of it. Returns what the step takes on disk, payloads included.
 */
export async function recordStepRollouts(
  options: StepRolloutsScope & { runId: string; rollouts: StepRollouts },
): Promise<{ bytes: number }> {
  const { store, tenantId, incarnationId, runId, rollouts } = options;
  const { step, report, logprobs } = rollouts;
  const [earlier, payloads] = await Promise.all([
    findRow(options, step),
    listBatchPayloads({ ...options, batchId: rollouts.batchId }),
  ]);
  const payloadBytes = payloads.reduce((sum, { bytes }) => sum + bytes, 0);
  const row: Omit<StepRolloutsTable, 'recorded_at'> = {
    tenant_id: tenantId,
    incarnation_id: incarnationId,
    step,
    run_id: runId,
    batch_id: rollouts.batchId,
    policy_version: rollouts.policyVersion,
    group_count: rollouts.groupCount,
    rollout_count: rollouts.rolloutCount,
    trained_tokens: rollouts.trainedTokens,
    reward_mean: rollouts.rewardMean,
    reward_low: rollouts.rewardLow,
    reward_high: rollouts.rewardHigh,
    // PostgreSQL text takes no NUL; items may come from strangers.
    items: JSON.stringify(rollouts.items).replaceAll('\\u0000', '\uFFFD'),
    report_digest: report.digest,
    report_bytes: report.bytes,
    logprobs_digest: logprobs?.digest ?? null,
    logprobs_bytes: logprobs?.bytes ?? 0,
    payload_bytes: payloadBytes,
    dropped_at: null,
  };
  const query = store.db
    .insertInto('step_rollouts')
    .values({ ...row, recorded_at: databaseClock(store.dialect) })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'incarnation_id', 'step'])
        .doUpdateSet({ ...row, recorded_at: databaseClock(store.dialect) }),
    )
    .compile();
  await store.commit({
    statements: [
      { query, expectRows: 1 },
      ...[report, logprobs].flatMap((blob) =>
        blob === undefined ? [] : [addBlobReference({ store, tenantId, digest: blob.digest, bytes: blob.bytes })],
      ),
      ...ownReferences(options, earlier),
    ],
  });
  return { bytes: payloadBytes + report.bytes + (logprobs?.bytes ?? 0) };
}

/** The steps that still have their rollouts, the oldest first, and what each takes. */
export async function listStoredSteps(scope: StepRolloutsScope): Promise<{ step: number; bytes: number }[]> {
  const rows = await rowsOf(scope)
    .select(['step', 'payload_bytes', 'report_bytes', 'logprobs_bytes'])
    .where('dropped_at', 'is', null)
    .orderBy('step')
    .execute();
  return rows.map((row) => ({ step: row.step, bytes: row.payload_bytes + row.report_bytes + row.logprobs_bytes }));
}

/** The references of the row itself: its report and its log probabilities. */
export function ownReferences(
  { store, tenantId }: Pick<StepRolloutsScope, 'store' | 'tenantId'>,
  row: Pick<StepRolloutsTable, 'logprobs_digest' | 'report_digest'> | undefined,
): WriteStatement[] {
  return [row?.report_digest, row?.logprobs_digest].flatMap((digest) =>
    digest === null || digest === undefined ? [] : [dropBlobReference({ store, tenantId, digest })],
  );
}

export const rowsOf = ({ store, tenantId, incarnationId }: StepRolloutsScope) =>
  store.db.selectFrom('step_rollouts').where('tenant_id', '=', tenantId).where('incarnation_id', '=', incarnationId);

export async function findRow(scope: StepRolloutsScope, step: number): Promise<StepRolloutsTable | undefined> {
  return await rowsOf(scope).selectAll().where('step', '=', step).executeTakeFirst();
}

/** The ids of the groups of a batch in its order, settled or not. */
export async function listBatchGroupIds(options: StepRolloutsScope & { batchId: string }): Promise<string[]> {
  const { store, tenantId, batchId } = options;
  for (const table of ['batches', 'open_batches'] as const) {
    const row = await store.db
      .selectFrom(table)
      .select('group_ids')
      .where('tenant_id', '=', tenantId)
      .where('incarnation_id', '=', options.incarnationId)
      .where('batch_id', '=', batchId)
      .executeTakeFirst();
    if (row !== undefined) return JSON.parse(row.group_ids) as string[];
  }
  return [];
}

/** SQLite takes 32,766 parameters a statement. */
const IDS_PER_QUERY = 10_000;

/** The payloads of the groups of a batch; one that two groups share comes twice. */
export async function listBatchPayloads(options: StepRolloutsScope & { batchId: string }): Promise<StoredBlob[]> {
  const { store, tenantId } = options;
  const ids = await listBatchGroupIds(options);
  const payloads: StoredBlob[] = [];
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const rows = await store.db
      .selectFrom('groups')
      .select(['payload_digest', 'payload_bytes'])
      .where('tenant_id', '=', tenantId)
      .where('group_id', 'in', ids.slice(start, start + IDS_PER_QUERY))
      .execute();
    payloads.push(...rows.map((row) => ({ digest: row.payload_digest, bytes: row.payload_bytes })));
  }
  return payloads;
}

/** A pattern of `like` that finds the item in the JSON text of a list of items. */
export function matchItem(item: string) {
  const pattern = `%${JSON.stringify(item).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`items like ${pattern} escape '\\'`;
}
