import { addBlobReference, dropBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { removeUnreferenced } from '../trajectories/remove-unreferenced.ts';
import { createBlob } from '../trajectories/captures/turn-payload.ts';
import { packChunk, unpackChunk } from './dataset-chunk.ts';

/**
 * Takes the text of rows out of every data set and marks them. Their digests stay, so that the version's own digest can
 * still be checked. Returns the versions, as `name@version`.
 */
export async function forgetDatasetRows(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryIds: readonly string[];
  forgottenAt: number;
}): Promise<string[]> {
  const { store, tenantId, trajectoryIds } = options;
  const rows = await store.db
    .selectFrom('dataset_rows as r')
    .innerJoin('dataset_versions as v', (join) =>
      join.onRef('v.tenant_id', '=', 'r.tenant_id').onRef('v.dataset_id', '=', 'r.dataset_id'),
    )
    .select(['r.dataset_id', 'r.row_index', 'r.chunk_index', 'v.name', 'v.version'])
    .where('r.tenant_id', '=', tenantId)
    .where('r.trajectory_id', 'in', trajectoryIds)
    .where('r.forgotten_at', 'is', null)
    .execute();
  for (const chunk of Map.groupBy(rows, (row) => `${row.dataset_id} ${row.chunk_index}`).values()) {
    const { dataset_id: datasetId, chunk_index: chunkIndex } = chunk[0]!;
    await forgetRowsOfChunk({ ...options, datasetId, chunkIndex, rowIndexes: chunk.map((row) => row.row_index) });
  }
  return [...new Set(rows.map(({ name, version }) => `${name}@${version}`))];
}

async function forgetRowsOfChunk(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  forgottenAt: number;
  datasetId: string;
  chunkIndex: number;
  rowIndexes: readonly number[];
}): Promise<void> {
  const { store, blobs, tenantId, forgottenAt, datasetId, chunkIndex, rowIndexes } = options;
  const { db, dialect } = store;
  const { payload_digest: before, first } = await db
    .selectFrom('dataset_chunks as c')
    .innerJoin('dataset_rows as r', (join) =>
      join
        .onRef('r.tenant_id', '=', 'c.tenant_id')
        .onRef('r.dataset_id', '=', 'c.dataset_id')
        .onRef('r.chunk_index', '=', 'c.chunk_index'),
    )
    .select(['c.payload_digest', (eb) => eb.fn.min<number>('r.row_index').as('first')])
    .where('c.tenant_id', '=', tenantId)
    .where('c.dataset_id', '=', datasetId)
    .where('c.chunk_index', '=', chunkIndex)
    .groupBy('c.payload_digest')
    .executeTakeFirstOrThrow();
  const lines = unpackChunk(await blobs.get(before));
  for (const rowIndex of rowIndexes) lines[rowIndex - first] = '';
  const after = createBlob(packChunk(lines));
  await blobs.put(after.digest, after.bytes);
  await store.commit({
    statements: [
      writeSql({
        dialect,
        text: `update dataset_chunks set payload_digest = ?, payload_bytes = ?
          where tenant_id = ? and dataset_id = ? and chunk_index = ? and payload_digest = ?`,
        parameters: [after.digest, after.bytes.byteLength, tenantId, datasetId, chunkIndex, before],
        expectRows: 1,
      }),
      addBlobReference({ store, tenantId, digest: after.digest, bytes: after.bytes.byteLength }),
      dropBlobReference({ store, tenantId, digest: before }),
      ...rowIndexes.map((rowIndex) =>
        writeSql({
          dialect,
          text: 'update dataset_rows set forgotten_at = ? where tenant_id = ? and dataset_id = ? and row_index = ?',
          parameters: [forgottenAt, tenantId, datasetId, rowIndex],
        }),
      ),
    ],
  });
  await removeUnreferenced({ store, blobs, digest: before });
}
