import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { databaseClock } from '../database/database-clock.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';
import { findRow, listBatchPayloads, ownReferences, rowsOf, type StepRolloutsScope } from './step-rollouts.ts';

/**
 * Lets go of the rollouts of a step: payloads of its groups, report and log probabilities. That the step was made, and what
 * its rewards came to, stays known. If we die between the commit and the removal, the collector of orphans removes the rest.
 */
export async function dropStepRollouts(
  options: StepRolloutsScope & { blobs: BlobStore; step: number },
): Promise<{ isDropped: boolean }> {
  const { store, blobs, tenantId, incarnationId, step } = options;
  const row = await findRow(options, step);
  if (row === undefined || row.dropped_at !== null) return { isDropped: false };
  const isShared =
    (await rowsOf(options)
      .select('step')
      .where('batch_id', '=', row.batch_id)
      .where('step', '!=', step)
      .where('dropped_at', 'is', null)
      .executeTakeFirst()) !== undefined;
  const payloads = isShared ? [] : await listBatchPayloads({ ...options, batchId: row.batch_id });
  const marked = store.db
    .updateTable('step_rollouts')
    .set({ dropped_at: databaseClock(store.dialect), report_digest: null, logprobs_digest: null })
    .where('tenant_id', '=', tenantId)
    .where('incarnation_id', '=', incarnationId)
    .where('step', '=', step)
    .where('dropped_at', 'is', null)
    .compile();
  const digests = payloads.map(({ digest }) => digest).sort();
  await store.commit({
    statements: [
      { query: marked, expectRows: 1 },
      ...ownReferences(options, row),
      ...digests.map((digest) => dropBlobReference({ store, tenantId, digest })),
    ],
  });
  const own = [row.report_digest, row.logprobs_digest].filter((digest) => digest !== null);
  for (const digest of new Set([...digests, ...own])) await removeUnreferenced({ store, blobs, digest });
  return { isDropped: true };
}
