import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { addColdFile, dropColdFile, listColdFiles } from '../cold/cold-files.ts';
import { readColdGroups, writeColdGroups, type ColdGroup } from '../cold/cold-groups.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
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
    let waiting: ColdGroup[] = [];
    for await (const rows of selectSettledGroups({ ...options, incarnationId })) {
      for (const { group, at, fate, fate_reason, batch_id } of rows) {
        const kept = steps.get(batch_id ?? '');
        if (at === null || fate === null || at >= olderThan || at < goneBefore || kept === 'kept') continue;
        waiting.push({
          ...{ group_id: group.group_id, incarnation_id: group.incarnation_id, position: group.position },
          ...{ api: group.door, environment_id: group.environment_id, env_id: group.env_ordinal },
          ...{ rollout_id: group.rollout_id, sequence_count: group.sequence_count, token_count: group.token_count },
          ...{ payload_digest: group.payload_digest, payload_bytes: group.payload_bytes, outcome: group.outcome },
          ...{ reason: group.reason, split: group.split, consent: group.consent },
          ...{ policy_version_min: group.policy_version_min, policy_version_max: group.policy_version_max },
          ...{ step_at_arrival: group.step_at_arrival, received_at: group.received_at },
          ...{ fate, fate_reason, batch_id, settled_at: at, has_payload: kept !== 'dropped' },
        });
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

async function archive(
  { store, blobs, tenantId, runId, isDryRun }: AgedRun & { blobs: BlobStore },
  groups: readonly ColdGroup[],
): Promise<number> {
  if (isDryRun || groups.length === 0) return groups.length;
  const file = writeColdGroups(groups);
  await blobs.put(file.digest, file.bytes);
  const about = { digest: file.digest, kind: 'groups', runId, rows: groups.length } as const;
  const lastAt = groups.reduce((latest, group) => Math.max(latest, group.settled_at), 0);
  try {
    await store.commit({
      statements: [
        ...deleteGroupRows({ store, tenantId, ids: groups.map((group) => group.group_id) }),
        ...addColdFile({ store, tenantId }, { ...about, bytes: file.bytes.byteLength, lastAt }),
      ],
    });
    return groups.length;
  } catch (error) {
    // Another collector was first with some of them.
    if (!StaleWriteError.isInstance(error)) throw error;
    return 0;
  }
}

/** Lets go of files of which every group was settled before that time, and of the payloads they still kept. */
export async function retainColdGroups(
  options: AgedRun & { blobs: BlobStore },
): Promise<{ groups: number; bytes: number }> {
  const { store, blobs, tenantId, runId, olderThan, isDryRun } = options;
  const report = { groups: 0, bytes: 0 };
  for (const file of await listColdFiles({ store, tenantId, kind: 'groups', runId })) {
    if (file.lastAt >= olderThan) break;
    const held = (await readColdGroups(blobs, file.digest)).filter((group) => group.has_payload);
    report.groups += file.rows;
    report.bytes += held.reduce((sum, group) => sum + group.payload_bytes, 0);
    if (isDryRun) continue;
    // In one order everywhere, so that two commits never wait for each other.
    const digests = held.map((group) => group.payload_digest).sort();
    const references = digests.map((digest) => dropBlobReference({ store, tenantId, digest }));
    await store.commit({ statements: [...dropColdFile({ store, tenantId }, file.digest), ...references] });
    for (const digest of new Set([...digests, file.digest])) await removeUnreferenced({ store, blobs, digest });
  }
  return report;
}
