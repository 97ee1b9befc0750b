import type { Kysely } from 'kysely';
import type { Database } from '../schema/database.ts';
import type {
  EnvironmentRecord,
  OpenBatchRecord,
  PostReceiptRecord,
  QueueSnapshot,
  QueueStateRecord,
  ReadyGroupRecord,
} from './records.ts';
import { NOT_FINITE_FLAG } from './write-queue.ts';

/** Loads the open incarnation of a run with everything that still waits or travels; null when the run is unknown. */
export async function loadQueue(
  db: Kysely<Database>,
  run: { tenantId: string; runName: string },
): Promise<QueueSnapshot | null> {
  // Rows of one moment: a commit between two of these reads would show a batch without its groups.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const incarnation = await transaction
        .selectFrom('runs')
        .innerJoin('run_incarnations', (join) =>
          join
            .onRef('run_incarnations.tenant_id', '=', 'runs.tenant_id')
            .onRef('run_incarnations.run_id', '=', 'runs.run_id'),
        )
        .select(['runs.run_id', 'runs.name', 'incarnation_id', 'ordinal', 'version', 'state'])
        .where('runs.tenant_id', '=', run.tenantId)
        .where('runs.name', '=', run.runName)
        .orderBy('ordinal', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (incarnation === undefined) return null;
      const scope = { tenantId: run.tenantId, incarnationId: incarnation.incarnation_id };
      return {
        tenantId: run.tenantId,
        runId: incarnation.run_id,
        runName: incarnation.name,
        incarnationId: incarnation.incarnation_id,
        ordinal: incarnation.ordinal,
        version: incarnation.version,
        state: JSON.parse(incarnation.state) as QueueStateRecord,
        environments: await loadEnvironments(transaction, scope),
        groups: await loadGroups(transaction, scope),
        batches: await loadBatches(transaction, scope),
        receipts: await loadReceipts(transaction, scope),
      };
    });
}

/** The newest incarnation and its version: enough to tell whether a cached queue is current. */
export async function readQueueVersion(
  db: Kysely<Database>,
  run: { tenantId: string; runId: string },
): Promise<{ incarnationId: string; version: number } | null> {
  const row = await db
    .selectFrom('run_incarnations')
    .select(['incarnation_id', 'version'])
    .where('tenant_id', '=', run.tenantId)
    .where('run_id', '=', run.runId)
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { incarnationId: row.incarnation_id, version: row.version };
}

interface IncarnationScope {
  tenantId: string;
  incarnationId: string;
}

async function loadEnvironments(db: Kysely<Database>, scope: IncarnationScope): Promise<EnvironmentRecord[]> {
  const rows = await db
    .selectFrom('environments')
    .selectAll()
    .where('tenant_id', '=', scope.tenantId)
    .where('incarnation_id', '=', scope.incarnationId)
    .orderBy('ordinal')
    .execute();
  return rows.map((row) => ({
    environmentId: row.environment_id,
    ordinal: row.ordinal,
    desiredName: row.desired_name,
    realName: row.real_name,
    weight: row.weight,
    maxContextLen: row.max_context_len,
    groupSize: row.group_size,
    minBatchAllocation: row.min_batch_allocation,
    connected: row.connected === 1,
    disconnectReason: row.reason,
    registeredAt: row.registered_at,
    heardAt: row.heard_at,
  }));
}

async function loadGroups(db: Kysely<Database>, scope: IncarnationScope): Promise<ReadyGroupRecord[]> {
  const rows = await db
    .selectFrom('ready_groups')
    .selectAll()
    .where('tenant_id', '=', scope.tenantId)
    .where('incarnation_id', '=', scope.incarnationId)
    .execute();
  return rows.map((row) => ({
    groupId: row.group_id,
    position: row.position,
    place: row.place,
    envId: row.env_ordinal,
    sequenceCount: row.sequence_count,
    tokenCount: row.token_count,
    payloadDigest: row.payload_digest,
    payloadBytes: row.payload_bytes,
    failures: row.failures,
    nonFinite: row.flags === NOT_FINITE_FLAG,
  }));
}

async function loadBatches(db: Kysely<Database>, scope: IncarnationScope): Promise<OpenBatchRecord[]> {
  const rows = await db
    .selectFrom('open_batches')
    .selectAll()
    .where('tenant_id', '=', scope.tenantId)
    .where('incarnation_id', '=', scope.incarnationId)
    .execute();
  return rows.map((row) => ({
    batchId: row.batch_id,
    ordinal: row.ordinal,
    state: row.state,
    epoch: row.epoch,
    attempts: row.attempts,
    owner: row.owner,
    leaseExpiresAt: row.lease_expires_at,
    groupIds: JSON.parse(row.group_ids) as string[],
    formedAt: row.formed_at,
  }));
}

async function loadReceipts(db: Kysely<Database>, scope: IncarnationScope): Promise<PostReceiptRecord[]> {
  const rows = await db
    .selectFrom('post_receipts')
    .selectAll()
    .where('tenant_id', '=', scope.tenantId)
    .where('incarnation_id', '=', scope.incarnationId)
    .execute();
  return rows.map((row) => ({
    receiptId: row.receipt_id,
    environmentKey: row.env_key,
    bodyDigest: row.body_digest,
    reply: row.reply,
    receivedAt: row.received_at,
    answeredBy: row.answered_by,
  }));
}
