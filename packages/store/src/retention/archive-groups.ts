import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { addColdFile, dropColdFile, listColdFiles } from '../cold/cold-files.ts';
import { readColdGroups, writeColdGroups, type ColdGroup } from '../cold/cold-groups.ts';
import { commitUnlessStale } from '../database/commit-unless-stale.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';
import type { AgedRun } from './aged-run.ts';
import { deleteGroupRows, listIncarnations, readStepsByBatch, selectSettledGroups } from './retain-history.ts';

/** Groups of one file, and of one commit. */
const FILE_ROWS = 4_000;

/**
 * Moves rows of groups that were settled before that time into Parquet files among the payloads. Their payloads stay. What waits, what is out
 * with a trainer, and what a step still keeps stays in the database however old it is. May die anywhere: a file and the rows
 * that it replaces are one commit.
 */
export async function archiveGroups(
  options: AgedRun & {
    blobs: BlobStore;
    payloadsOlderThan: number;
    /** What was settled before then goes altogether. */
    goneBefore: number;
  },
): Promise<{ coldGroups: number }> {
  const { olderThan, goneBefore } = options;
  let coldGroups = 0;
  for (const incarnationId of await listIncarnations(options)) {
    const steps = await readStepsByBatch(options, incarnationId);
    let waiting: Leaving[] = [];
    for await (const rows of selectSettledGroups({ ...options, incarnationId })) {
      for (const { group_id: groupId, at, batch_id: batchId } of rows) {
        const kept = steps.get(batchId ?? '');
        if (at === null || at >= olderThan || at < goneBefore || kept === 'kept') continue;
        waiting.push({ groupId, hasPayload: kept !== 'dropped' });
      }
      while (waiting.length >= FILE_ROWS) {
        coldGroups += await archive(options, waiting.slice(0, FILE_ROWS));
        waiting = waiting.slice(FILE_ROWS);
      }
    }
    coldGroups += await archive(options, waiting);
  }
  return { coldGroups };
}

/** A group that leaves, and whether its payload is still kept. */
interface Leaving {
  groupId: string;
  hasPayload: boolean;
}

async function archive(options: AgedRun & { blobs: BlobStore }, leaving: readonly Leaving[]): Promise<number> {
  const { store, blobs, tenantId, runId, isDryRun } = options;
  if (isDryRun || leaving.length === 0) return leaving.length;
  const groups = await readGroups(options, leaving);
  const file = await writeColdGroups(groups);
  await blobs.put(file.digest, file.bytes);
  const about = { digest: file.digest, kind: 'groups', runId, rows: groups.length } as const;
  const lastAt = groups.reduce((latest, group) => Math.max(latest, group.settled_at), 0);
  const isMoved = await commitUnlessStale(store, {
    statements: [
      ...deleteGroupRows({ store, tenantId, ids: leaving.map(({ groupId }) => groupId) }),
      ...addColdFile({ store, tenantId }, { ...about, bytes: file.bytes.byteLength, lastAt }),
    ],
  });
  if (isMoved) return groups.length;
  // Another collector was first with some of them.
  await removeUnreferenced({ store, blobs, digest: file.digest });
  return 0;
}

async function readGroups({ store, tenantId }: AgedRun, leaving: readonly Leaving[]): Promise<ColdGroup[]> {
  const hasPayload = new Map(leaving.map((group) => [group.groupId, group.hasPayload]));
  const rows = await store.db
    .selectFrom('groups')
    .innerJoin('group_fates', (join) =>
      join
        .onRef('group_fates.tenant_id', '=', 'groups.tenant_id')
        .onRef('group_fates.group_id', '=', 'groups.group_id'),
    )
    .selectAll('groups')
    .select(['group_fates.at', 'group_fates.fate', 'group_fates.reason as fate_reason', 'group_fates.batch_id'])
    .where('groups.tenant_id', '=', tenantId)
    .where('groups.group_id', 'in', [...hasPayload.keys()])
    .orderBy('position')
    .orderBy('groups.group_id')
    .execute();
  return rows.map((row) => ({
    ...{ group_id: row.group_id, incarnation_id: row.incarnation_id, position: row.position, api: row.door },
    ...{ environment_id: row.environment_id, env_id: row.env_ordinal, rollout_id: row.rollout_id },
    ...{ sequence_count: row.sequence_count, token_count: row.token_count },
    ...{ payload_digest: row.payload_digest, payload_bytes: row.payload_bytes },
    ...{ outcome: row.outcome, reason: row.reason, split: row.split, consent: row.consent },
    ...{ policy_version_min: row.policy_version_min, policy_version_max: row.policy_version_max },
    ...{ step_at_arrival: row.step_at_arrival, received_at: row.received_at },
    ...{ fate: row.fate, fate_reason: row.fate_reason, batch_id: row.batch_id, settled_at: row.at },
    has_payload: hasPayload.get(row.group_id) ?? false,
  }));
}

/** Lets go of files of which every group was settled before that time, and of the payloads they still kept. */
export async function retainColdGroups(
  options: AgedRun & { blobs: BlobStore },
): Promise<{ groups: number; bytes: number }> {
  const { store, blobs, tenantId, runId, olderThan, isDryRun } = options;
  const report = { groups: 0, bytes: 0 };
  for (const file of await listColdFiles({ store, tenantId, kind: 'groups', runId })) {
    if (file.lastAt >= olderThan) break;
    const held = await readHeld(options, file.digest);
    if (held === undefined) continue;
    if (!isDryRun) {
      // In one order everywhere, so that two commits never wait for each other.
      const digests = held.map((group) => group.payload_digest).sort();
      const references = digests.map((digest) => dropBlobReference({ store, tenantId, digest }));
      const statements = [...dropColdFile({ store, tenantId }, file.digest), ...references];
      if (!(await commitUnlessStale(store, { statements }))) continue;
      for (const digest of new Set([...digests, file.digest])) await removeUnreferenced({ store, blobs, digest });
    }
    report.groups += file.rows;
    report.bytes += held.reduce((sum, group) => sum + group.payload_bytes, 0);
  }
  return report;
}

/** The groups of a file whose payloads are still kept; none where another collector has let go of the file meanwhile. */
async function readHeld(
  { store, tenantId, runId, blobs }: AgedRun & { blobs: BlobStore },
  digest: string,
): Promise<ColdGroup[] | undefined> {
  try {
    return (await readColdGroups(blobs, digest)).filter((group) => group.has_payload);
  } catch (error) {
    if (!BlobMissingError.isInstance(error)) throw error;
    const files = await listColdFiles({ store, tenantId, kind: 'groups', runId });
    if (files.some((file) => file.digest === digest)) throw error;
    return undefined;
  }
}
