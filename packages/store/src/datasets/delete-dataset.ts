import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { removeDatasetRows } from './remove-dataset-rows.ts';

/**
 * Deletes one version with its rows; what it held out is free from then on. False when it is gone already. What a model
 * learnt from it stays in the lineage, which names it by an id that nothing else gets.
 *
 * Die behind the first commit: rows without a version, which the collector takes.
 */
export async function deleteDataset(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  datasetId: string;
}): Promise<boolean> {
  const { store, blobs, tenantId, datasetId } = options;
  const version = await store.db
    .selectFrom('dataset_versions')
    .select('dataset_id')
    .where('tenant_id', '=', tenantId)
    .where('dataset_id', '=', datasetId)
    .executeTakeFirst();
  if (version === undefined) return false;
  const statement = writeSql({
    dialect: store.dialect,
    text: 'delete from dataset_versions where tenant_id = ? and dataset_id = ?',
    parameters: [tenantId, datasetId],
  });
  await store.commit({ statements: [statement] });
  await removeDatasetRows({ store, blobs, tenantId, datasetId, lineage: 'keep' });
  return true;
}
