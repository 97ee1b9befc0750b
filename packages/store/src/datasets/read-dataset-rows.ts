import type { DataRecord } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { unpackChunk } from './dataset-chunk.ts';

/** The rows of a version in order; what was forgotten since is left out. */
export async function* readDatasetRows(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  datasetId: string;
  /** Only rows of this split. */
  split?: string | undefined;
}): AsyncGenerator<DataRecord, void, undefined> {
  const { store, blobs, tenantId, datasetId, split } = options;
  for (let chunkIndex = 0; ; chunkIndex += 1) {
    const chunk = await store.db
      .selectFrom('dataset_chunks')
      .select('payload_digest')
      .where('tenant_id', '=', tenantId)
      .where('dataset_id', '=', datasetId)
      .where('chunk_index', '=', chunkIndex)
      .executeTakeFirst();
    if (chunk === undefined) return;
    for (const line of unpackChunk(await blobs.get(chunk.payload_digest))) {
      if (line === '') continue;
      const record = JSON.parse(line) as DataRecord;
      if (split === undefined || record.split === split) yield record;
    }
  }
}
