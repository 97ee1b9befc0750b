import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { removeDatasetRows } from './remove-dataset-rows.ts';

/** Longer than the longest set takes to be made. */
const DEFAULT_GRACE_MS = 24 * 3_600_000;

/**
 * Removes rows of data sets that were interrupted, in the making or in being deleted: those without a version whose id, which says when
 * it was made, is old enough. Returns how many sets.
 */
export async function collectDrafts(options: { store: Store; blobs: BlobStore; graceMs?: number }): Promise<number> {
  const { store, blobs, graceMs = DEFAULT_GRACE_MS } = options;
  const before = writeIdTime((await store.now()) - graceMs);
  const drafts = await store.db
    .selectFrom('dataset_chunks as c')
    .leftJoin('dataset_versions as v', (join) =>
      join.onRef('v.tenant_id', '=', 'c.tenant_id').onRef('v.dataset_id', '=', 'c.dataset_id'),
    )
    .select(['c.tenant_id', 'c.dataset_id'])
    .distinct()
    .where('v.dataset_id', 'is', null)
    .where('c.dataset_id', '<', before)
    .execute();
  for (const { tenant_id: tenantId, dataset_id: datasetId } of drafts) {
    const learnt = await store.db
      .selectFrom('lineage')
      .select('to_id')
      .where('tenant_id', '=', tenantId)
      .where('from_kind', '=', 'dataset')
      .where('from_id', '=', datasetId)
      .limit(1)
      .executeTakeFirst();
    await removeDatasetRows({
      ...{ store, blobs, tenantId, datasetId },
      lineage: learnt === undefined ? 'drop' : 'keep',
    });
  }
  return drafts.length;
}

/** The first digits of a UUIDv7 of that time. */
function writeIdTime(ms: number): string {
  const digits = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
