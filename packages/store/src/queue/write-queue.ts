import { toCanonicalJson } from '../events/canonical-json.ts';
import { sql, type Compilable, type Kysely } from 'kysely';
import type { WriteStatement, WriteUnit } from '../database/store.ts';
import type { Database } from '../schema/database.ts';
import type { QueueChanges, QueueStateRecord } from './records.ts';

/** In `ready_groups.flags`: the payload holds NaN or Infinity. */
export const NOT_FINITE_FLAG = 'not-finite';

/** Rows in one INSERT: PostgreSQL takes 65,535 parameters a statement, SQLite 32,766, and the widest row has 27. */
const ROWS_PER_INSERT = 500;

/** Which queue is written, and the version that it must still have. */
export interface QueueIdentity {
  tenantId: string;
  runId: string;
  runName: string;
  incarnationId: string;
  ordinal: number;
  /** The version the changes were decided on; 0 when the run has no rows yet. */
  version: number;
  record: QueueStateRecord;
}

/**
 * Turns a turn's changes into one write unit. Its first statement is a compare-and-set on the incarnation's version, so
 * of two processes that decided on the same version one fails as a whole.
 */
export function planQueueWrite(
  db: Kysely<Database>,
  queue: QueueIdentity,
  changes: QueueChanges,
  now: number,
): WriteUnit {
  return {
    statements: [
      ...planVersion(db, queue, changes, now),
      ...planGroups(db, queue, changes),
      ...planReadyGroups(db, queue, changes),
      ...planBatches(db, queue, changes),
      ...planReceipts(db, queue, changes),
      ...planEnvironments(db, queue, changes, now),
      ...planEvents(db, queue, changes),
    ],
  };
}

function planVersion(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges, now: number): WriteStatement[] {
  const { tenantId, runId } = queue;
  const opened = changes.opened;
  const insertIncarnation = db.insertInto('run_incarnations').values({
    tenant_id: tenantId,
    incarnation_id: queue.incarnationId,
    run_id: runId,
    ordinal: queue.ordinal,
    version: 1,
    state: JSON.stringify(queue.record),
    opened_at: now,
    closed_at: null,
    close_reason: null,
  });
  if (queue.version === 0 && opened === null) {
    return [
      statement(
        db.insertInto('runs').values({ tenant_id: tenantId, run_id: runId, name: queue.runName, created_at: now }),
      ),
      statement(insertIncarnation),
    ];
  }
  const advance = (incarnationId: string) =>
    db
      .updateTable('run_incarnations')
      .where('tenant_id', '=', tenantId)
      .where('incarnation_id', '=', incarnationId)
      .where('version', '=', queue.version);
  if (opened === null) {
    const update = advance(queue.incarnationId).set({
      version: queue.version + 1,
      state: JSON.stringify(queue.record),
    });
    return [{ ...statement(update), expectRows: 1 }];
  }
  const { closed } = opened;
  const close = advance(closed.incarnationId).set({
    version: queue.version + 1,
    state: JSON.stringify(closed.state),
    closed_at: now,
    close_reason: closed.reason,
  });
  const hot = (['ready_groups', 'open_batches', 'post_receipts'] as const).map((table) =>
    statement(
      db.deleteFrom(table).where('tenant_id', '=', tenantId).where('incarnation_id', '=', closed.incarnationId),
    ),
  );
  return [{ ...statement(close), expectRows: 1 }, ...hot, statement(insertIncarnation)];
}

function planGroups(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const { tenantId, runId, incarnationId } = queue;
  const rows = changes.groups.map((group) => ({
    tenant_id: tenantId,
    group_id: group.groupId,
    run_id: runId,
    incarnation_id: incarnationId,
    position: group.position,
    door: group.api,
    environment_id: group.environmentId,
    env_ordinal: group.envId,
    rollout_id: group.rolloutId,
    sequence_count: group.sequenceCount,
    token_count: group.tokenCount,
    longest_sequence: group.longestSequence,
    payload_digest: group.payloadDigest,
    payload_bytes: group.payloadBytes,
    body_digest: group.bodyDigest,
    idempotency_key: group.idempotencyKey,
    outcome: group.outcome,
    reason: storable(group.reason),
    environment_digest: storable(group.environmentDigest),
    verifier_digest: storable(group.verifierDigest),
    split: group.split,
    consent: storable(group.consent),
    policy_version_min: group.policyVersionMin,
    policy_version_max: group.policyVersionMax,
    step_at_arrival: group.stepAtArrival,
    received_at: group.receivedAt,
  }));
  const fates = changes.fates.map((fate) => ({
    tenant_id: tenantId,
    group_id: fate.groupId,
    incarnation_id: incarnationId,
    fate: fate.fate,
    reason: storable(fate.reason),
    batch_id: fate.batchId,
    at: fate.at,
  }));
  const keys = changes.idempotency.map((entry) => ({
    tenant_id: tenantId,
    run_id: runId,
    key: entry.key,
    body_digest: entry.bodyDigest,
    reply: entry.reply,
    created_at: entry.createdAt,
  }));
  return [
    ...chunks(rows).map((some) => statement(db.insertInto('groups').values(some))),
    ...planBlobReferences(db, queue, changes),
    ...chunks(fates).map((some) => statement(db.insertInto('group_fates').values(some))),
    ...chunks(keys).map((some) => statement(db.insertInto('idempotency_keys').values(some))),
  ];
}

/** Two groups of equal content share a blob: each counts. */
function planBlobReferences(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const counted = new Map<string, { bytes: number; count: number; at: number }>();
  for (const group of changes.groups) {
    const entry = counted.get(group.payloadDigest) ?? { bytes: group.payloadBytes, count: 0, at: group.receivedAt };
    entry.count += 1;
    counted.set(group.payloadDigest, entry);
  }
  const rows = [...counted].map(([digest, entry]) => ({
    tenant_id: queue.tenantId,
    digest,
    bytes: entry.bytes,
    reference_count: entry.count,
    created_at: entry.at,
  }));
  return chunks(rows).map((some) =>
    statement(
      db
        .insertInto('blob_references')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['tenant_id', 'digest']).doUpdateSet({
            reference_count: sql`blob_references.reference_count + excluded.reference_count`,
          }),
        ),
    ),
  );
}

function planReadyGroups(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const { tenantId, incarnationId } = queue;
  const rows = [...changes.readyWrites.values()].map((group) => ({
    tenant_id: tenantId,
    incarnation_id: incarnationId,
    position: group.position,
    group_id: group.groupId,
    place: group.place,
    env_ordinal: group.envId,
    sequence_count: group.sequenceCount,
    token_count: group.tokenCount,
    payload_digest: group.payloadDigest,
    payload_bytes: group.payloadBytes,
    failures: group.failures,
    flags: group.nonFinite ? NOT_FINITE_FLAG : '',
  }));
  return [
    ...chunks(rows).map((some) =>
      statement(
        db
          .insertInto('ready_groups')
          .values(some)
          .onConflict((conflict) =>
            conflict.columns(['tenant_id', 'incarnation_id', 'group_id']).doUpdateSet({
              place: (eb) => eb.ref('excluded.place'),
              position: (eb) => eb.ref('excluded.position'),
              failures: (eb) => eb.ref('excluded.failures'),
            }),
          ),
      ),
    ),
    ...chunks([...changes.readyDeletes]).map((some) =>
      statement(
        db
          .deleteFrom('ready_groups')
          .where('tenant_id', '=', tenantId)
          .where('incarnation_id', '=', incarnationId)
          .where('group_id', 'in', some),
      ),
    ),
  ];
}

function planBatches(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const { tenantId, incarnationId } = queue;
  const open = [...changes.batchWrites.values()].map((batch) => ({
    tenant_id: tenantId,
    incarnation_id: incarnationId,
    batch_id: batch.batchId,
    ordinal: batch.ordinal,
    state: batch.state,
    epoch: batch.epoch,
    attempts: batch.attempts,
    owner: storable(batch.owner),
    lease_expires_at: batch.leaseExpiresAt,
    group_ids: JSON.stringify(batch.groupIds),
    formed_at: batch.formedAt,
  }));
  const ended = changes.batchHistory.map((batch) => ({
    tenant_id: tenantId,
    batch_id: batch.batchId,
    incarnation_id: incarnationId,
    ordinal: batch.ordinal,
    fate: batch.fate,
    epoch: batch.epoch,
    attempts: batch.attempts,
    step: batch.step,
    policy_version: batch.policyVersion,
    group_ids: JSON.stringify(batch.groupIds),
    formed_at: batch.formedAt,
    ended_at: batch.endedAt,
  }));
  return [
    ...chunks(open).map((some) =>
      statement(
        db
          .insertInto('open_batches')
          .values(some)
          .onConflict((conflict) =>
            conflict.columns(['tenant_id', 'incarnation_id', 'batch_id']).doUpdateSet({
              state: (eb) => eb.ref('excluded.state'),
              epoch: (eb) => eb.ref('excluded.epoch'),
              attempts: (eb) => eb.ref('excluded.attempts'),
              owner: (eb) => eb.ref('excluded.owner'),
              lease_expires_at: (eb) => eb.ref('excluded.lease_expires_at'),
            }),
          ),
      ),
    ),
    ...chunks([...changes.batchDeletes]).map((some) =>
      statement(
        db
          .deleteFrom('open_batches')
          .where('tenant_id', '=', tenantId)
          .where('incarnation_id', '=', incarnationId)
          .where('batch_id', 'in', some),
      ),
    ),
    ...chunks(ended).map((some) => statement(db.insertInto('batches').values(some))),
  ];
}

function planReceipts(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const { tenantId, incarnationId } = queue;
  const rows = [...changes.receiptWrites.values()].map((receipt) => ({
    tenant_id: tenantId,
    incarnation_id: incarnationId,
    env_key: receipt.environmentKey,
    body_digest: receipt.bodyDigest,
    receipt_id: receipt.receiptId,
    reply: receipt.reply,
    received_at: receipt.receivedAt,
    answered_by: receipt.answeredBy,
  }));
  return [
    ...chunks(rows).map((some) => statement(db.insertInto('post_receipts').values(some))),
    ...chunks([...changes.receiptsLost]).map((some) =>
      statement(
        db
          .updateTable('post_receipts')
          .set({ answered_by: null })
          .where('tenant_id', '=', tenantId)
          .where('incarnation_id', '=', incarnationId)
          .where('receipt_id', 'in', some),
      ),
    ),
    ...chunks([...changes.receiptDeletes]).map((some) =>
      statement(
        db
          .deleteFrom('post_receipts')
          .where('tenant_id', '=', tenantId)
          .where('incarnation_id', '=', incarnationId)
          .where('receipt_id', 'in', some),
      ),
    ),
  ];
}

function planEnvironments(
  db: Kysely<Database>,
  queue: QueueIdentity,
  changes: QueueChanges,
  now: number,
): WriteStatement[] {
  const rows = [...changes.environmentWrites.values()].map((environment) => ({
    tenant_id: queue.tenantId,
    incarnation_id: queue.incarnationId,
    ordinal: environment.ordinal,
    environment_id: environment.environmentId,
    desired_name: storable(environment.desiredName),
    real_name: storable(environment.realName),
    weight: environment.weight,
    max_context_len: environment.maxContextLen,
    group_size: environment.groupSize,
    min_batch_allocation: environment.minBatchAllocation,
    connected: environment.connected ? 1 : 0,
    registered_at: environment.registeredAt,
    disconnected_at: environment.connected ? null : now,
    reason: environment.disconnectReason,
    heard_at: environment.heardAt,
  }));
  return chunks(rows).map((some) =>
    statement(
      db
        .insertInto('environments')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['tenant_id', 'incarnation_id', 'ordinal']).doUpdateSet({
            group_size: (eb) => eb.ref('excluded.group_size'),
            connected: (eb) => eb.ref('excluded.connected'),
            disconnected_at: (eb) => eb.ref('excluded.disconnected_at'),
            reason: (eb) => eb.ref('excluded.reason'),
            heard_at: (eb) => eb.ref('excluded.heard_at'),
          }),
        ),
    ),
  );
}

function planEvents(db: Kysely<Database>, queue: QueueIdentity, changes: QueueChanges): WriteStatement[] {
  const rows = changes.events.map((event) => ({
    tenant_id: queue.tenantId,
    run_id: queue.runId,
    cursor: event.cursor,
    kind: event.kind,
    at: event.at,
    data: toCanonicalJson(event.data),
    previous_hash: event.previousHash,
    hash: event.hash,
  }));
  return chunks(rows).map((some) => statement(db.insertInto('events').values(some)));
}

/** PostgreSQL text takes no NUL; what strangers send may hold one. */
function storable<T extends string | null>(text: T): T {
  return (text === null ? text : text.replaceAll('\0', '\uFFFD')) as T;
}

function statement(query: Compilable): WriteStatement {
  return { query: query.compile() };
}

function chunks<T>(rows: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    result.push(rows.slice(start, start + ROWS_PER_INSERT));
  return result;
}
