import { dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';

/** Tables whose rows belong to a version; the version itself comes last. */
const OWN_TABLES = ['held_out_digests', 'dataset_rows', 'dataset_chunks', 'dataset_versions'] as const;

/**
 * Deletes one version with its rows; what it held out is free from then on. False when it is gone already. What a model
 * learnt from it stays in the lineage, which names it by an id that nothing else gets.
 *
 * Die behind the commit: blobs without a row, which the collector takes.
 */
export async function deleteDataset(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  datasetId: string;
}): Promise<boolean> {
  const { store, blobs, tenantId, datasetId } = options;
  const { db, dialect } = store;
  const version = await db
    .selectFrom('dataset_versions')
    .select('dataset_id')
    .where('tenant_id', '=', tenantId)
    .where('dataset_id', '=', datasetId)
    .executeTakeFirst();
  if (version === undefined) return false;
  const chunks = await db
    .selectFrom('dataset_chunks')
    .select('payload_digest')
    .where('tenant_id', '=', tenantId)
    .where('dataset_id', '=', datasetId)
    .orderBy('payload_digest')
    .execute();
  await store.commit({
    statements: [
      ...OWN_TABLES.map((table) =>
        writeSql({
          dialect,
          text: `delete from ${table} where tenant_id = ? and dataset_id = ?`,
          parameters: [tenantId, datasetId],
        }),
      ),
      ...chunks.map(({ payload_digest: digest }) => dropBlobReference({ store, tenantId, digest })),
    ],
  });
  for (const { payload_digest: digest } of chunks) await removeUnreferenced({ store, blobs, digest });
  return true;
}
