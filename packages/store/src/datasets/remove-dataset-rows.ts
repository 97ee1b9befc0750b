import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';

const ARROWS_TOGETHER = 2_000;
const COMMIT_DEADLINE_MS = 60_000;

/**
 * Removes rows whose version is gone, or was never made. Chunk by chunk from the last one, so that it holds nobody up and where a row
 * stands is known however often it was interrupted.
 */
export async function removeDatasetRows(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  datasetId: string;
  /** What was learnt from a version that is deleted still comes from somewhere; from one that never was, nothing does. */
  lineage: 'keep' | 'drop';
}): Promise<void> {
  const { store, blobs, tenantId, datasetId, lineage } = options;
  const { db, dialect } = store;
  const own = [tenantId, datasetId];
  const remove = (table: string, where = '', parameters: readonly unknown[] = []) =>
    writeSql({
      dialect,
      text: `delete from ${table} where tenant_id = ? and dataset_id = ?${where}`,
      parameters: [...own, ...parameters],
    });
  await store.commit({ statements: [remove('held_out_digests')] }, { deadlineMs: COMMIT_DEADLINE_MS });
  const chunks = await db
    .selectFrom('dataset_chunks')
    .select(['chunk_index', 'row_count', 'payload_digest'])
    .where('tenant_id', '=', tenantId)
    .where('dataset_id', '=', datasetId)
    .orderBy('chunk_index')
    .execute();
  let end = chunks.reduce((sum, chunk) => sum + chunk.row_count, 0);
  for (const { chunk_index: chunkIndex, row_count: rowCount, payload_digest: digest } of chunks.toReversed()) {
    const start = end - rowCount;
    await store.commit({
      statements: [
        remove('dataset_rows', ' and row_index >= ? and row_index < ?', [start, end]),
        remove('dataset_chunks', ' and chunk_index = ?', [chunkIndex]),
        dropBlobReference({ store, tenantId, digest }),
      ],
    });
    await removeUnreferenced({ store, blobs, digest });
    end = start;
  }
  if (lineage === 'drop') await dropArrows({ store, tenantId, datasetId });
}

async function dropArrows({ store, tenantId, datasetId }: { store: Store; tenantId: string; datasetId: string }) {
  for (;;) {
    const rows = await store.db
      .selectFrom('lineage')
      .select('from_id')
      .where('tenant_id', '=', tenantId)
      .where('to_kind', '=', 'dataset')
      .where('to_id', '=', datasetId)
      .limit(ARROWS_TOGETHER)
      .execute();
    if (rows.length === 0) return;
    const query = store.db
      .deleteFrom('lineage')
      .where('tenant_id', '=', tenantId)
      .where('to_kind', '=', 'dataset')
      .where('to_id', '=', datasetId)
      .where(
        'from_id',
        'in',
        rows.map((row) => row.from_id),
      );
    await store.commit({ statements: [{ query: query.compile() }] }, { deadlineMs: COMMIT_DEADLINE_MS });
  }
}
