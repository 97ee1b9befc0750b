import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { commitUnlessStale } from '../database/commit-unless-stale.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';
import type { AgedRun } from './aged-run.ts';

/** Rows of one commit: pushes and leases go on between two of them. */
const PORTION = 200;

/**
 * Lets go of the rows of groups and batches that were settled before that time, with the payloads of groups that no step
 * has let go of. What waits or is out with a trainer stays however old it is, and so does what a step still keeps. The
 * counts of the ledger are the queue's own and stay. May die anywhere: each portion is a commit of its own.
 */
export async function retainHistory(
  options: AgedRun & { blobs: BlobStore; payloadsOlderThan: number },
): Promise<{ groups: number; batches: number; bytes: number }> {
  const report = { groups: 0, batches: 0, bytes: 0 };
  for (const incarnationId of await listIncarnations(options)) {
    const steps = await readStepsByBatch(options, incarnationId);
    const { groups, bytes } = await retainGroups({ ...options, incarnationId, steps });
    report.groups += groups;
    report.bytes += bytes;
    report.batches += await retainBatches({ ...options, incarnationId, steps });
  }
  return report;
}

/** The lives of a run, the first one first. */
export async function listIncarnations({
  store,
  tenantId,
  runId,
}: Pick<AgedRun, 'store' | 'tenantId' | 'runId'>): Promise<string[]> {
  const rows = await store.db
    .selectFrom('run_incarnations')
    .select('incarnation_id')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .orderBy('ordinal')
    .execute();
  return rows.map((row) => row.incarnation_id);
}

/** Of each batch that a step reported: whether its payloads were let go of already. */
type StepsByBatch = ReadonlyMap<string, 'dropped' | 'kept'>;

type AgedIncarnation = AgedRun & { incarnationId: string; steps: StepsByBatch };

export async function readStepsByBatch(
  { store, tenantId, isDryRun, payloadsOlderThan }: AgedRun & { payloadsOlderThan: number },
  incarnationId: string,
): Promise<StepsByBatch> {
  const rows = await store.db
    .selectFrom('step_rollouts')
    .select(['batch_id', 'dropped_at', 'recorded_at'])
    .where('tenant_id', '=', tenantId)
    .where('incarnation_id', '=', incarnationId)
    .execute();
  const steps = new Map<string, 'dropped' | 'kept'>();
  for (const row of rows) {
    // Where nothing is let go of, the payloads of these steps would be gone by now.
    const isDropped = row.dropped_at !== null || (isDryRun && row.recorded_at < payloadsOlderThan);
    if (!isDropped) steps.set(row.batch_id, 'kept');
    else if (!steps.has(row.batch_id)) steps.set(row.batch_id, 'dropped');
  }
  return steps;
}

async function retainGroups(
  options: AgedIncarnation & { blobs: BlobStore },
): Promise<{ groups: number; bytes: number }> {
  const { store, blobs, tenantId, olderThan, steps, isDryRun } = options;
  const report = { groups: 0, bytes: 0 };
  for await (const rows of selectSettledGroups(options)) {
    const old = rows.filter(
      ({ at, batch_id: batchId }) => at !== null && at < olderThan && steps.get(batchId ?? '') !== 'kept',
    );
    const held = old.filter(({ batch_id: batchId }) => steps.get(batchId ?? '') !== 'dropped');
    if (old.length > 0 && !isDryRun) {
      const deletes = deleteGroupRows({ store, tenantId, ids: old.map((row) => row.group_id) });
      // In one order everywhere, so that two commits never wait for each other.
      const digests = held.map((row) => row.payload_digest).sort();
      const references = digests.map((digest) => dropBlobReference({ store, tenantId, digest }));
      // Another collector is at it too: what it has left of these is there in the next round.
      if (!(await commitUnlessStale(store, { statements: [...deletes, ...references] }))) continue;
      for (const digest of new Set(digests)) await removeUnreferenced({ store, blobs, digest });
    }
    report.groups += old.length;
    report.bytes += held.reduce((sum, row) => sum + row.payload_bytes, 0);
  }
  return report;
}

/** Rows of groups with their ends, which go into one unit with what takes their place. */
export function deleteGroupRows(options: {
  store: Pick<Store, 'db'>;
  tenantId: string;
  ids: readonly string[];
}): WriteStatement[] {
  const { store, tenantId, ids } = options;
  return (['group_fates', 'groups'] as const).map((table) => ({
    query: store.db.deleteFrom(table).where('tenant_id', '=', tenantId).where('group_id', 'in', ids).compile(),
    expectRows: ids.length,
  }));
}

/** The groups of one life of a run with their ends, in order of arrival, up to the first that came later than that time; in portions. */
export async function* selectSettledGroups({
  store,
  tenantId,
  incarnationId,
  olderThan,
}: Pick<AgedRun, 'store' | 'tenantId' | 'olderThan'> & { incarnationId: string }) {
  let after = { position: -1, groupId: '' };
  for (;;) {
    const rows = await store.db
      .selectFrom('groups')
      .leftJoin('group_fates', (join) =>
        join
          .onRef('group_fates.tenant_id', '=', 'groups.tenant_id')
          .onRef('group_fates.group_id', '=', 'groups.group_id'),
      )
      .select(['groups.group_id', 'position', 'payload_digest', 'payload_bytes', 'received_at', 'at', 'batch_id'])
      .where('groups.tenant_id', '=', tenantId)
      .where('groups.incarnation_id', '=', incarnationId)
      .where('position', '>=', after.position)
      .where((eb) => eb.or([eb('position', '>', after.position), eb('groups.group_id', '>', after.groupId)]))
      .orderBy('position')
      .orderBy('groups.group_id')
      .limit(PORTION)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { position: last.position, groupId: last.group_id };
    yield rows;
    // A group is settled after it came: whatever follows is younger.
    if (rows.length < PORTION || last.received_at >= olderThan) return;
  }
}

async function retainBatches(options: AgedIncarnation): Promise<number> {
  const { store, tenantId, incarnationId, olderThan, steps, isDryRun } = options;
  let batches = 0;
  let after = -1;
  for (;;) {
    const rows = await store.db
      .selectFrom('batches')
      .select(['batch_id', 'ordinal', 'ended_at'])
      .where('tenant_id', '=', tenantId)
      .where('incarnation_id', '=', incarnationId)
      .where('ordinal', '>', after)
      .orderBy('ordinal')
      .limit(PORTION)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return batches;
    after = last.ordinal;
    const old = rows.filter((row) => row.ended_at < olderThan && steps.get(row.batch_id) !== 'kept');
    if (old.length > 0 && !isDryRun) {
      const ids = old.map((row) => row.batch_id);
      const query = store.db.deleteFrom('batches').where('tenant_id', '=', tenantId).where('batch_id', 'in', ids);
      const statements = [{ query: query.compile(), expectRows: ids.length }];
      if (await commitUnlessStale(store, { statements })) batches += ids.length;
    } else {
      batches += old.length;
    }
    if (rows.length < PORTION) return batches;
  }
}
