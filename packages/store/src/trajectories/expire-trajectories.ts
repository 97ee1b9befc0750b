import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { deleteTrajectories } from './delete-trajectories.ts';
import { eraseDeletedPages, eraseOnDelete } from './erase-deleted-pages.ts';

/** Trajectories of one commit: others record between two of them. */
const PORTION = 200;

/**
 * Keeps to the retention: trajectories in which nothing happened since `olderThan` are deleted, for every tenant. Data
 * sets keep the rows that were made from them: somebody decided to keep those.
 */
export async function expireTrajectories(options: {
  store: Store;
  blobs: BlobStore;
  /** Milliseconds since 1970. */
  olderThan: number;
}): Promise<{ trajectories: number }> {
  const { store, blobs, olderThan } = options;
  const { db } = store;
  let trajectories = 0;
  await eraseOnDelete(store);
  for (;;) {
    const found = await db
      .selectFrom('trajectories')
      .select(['tenant_id', 'trajectory_id'])
      .where('updated_at', '<', olderThan)
      .orderBy('updated_at')
      .limit(PORTION)
      .execute();
    if (found.length === 0) break;
    for (const [tenantId, rows] of Map.groupBy(found, (row) => row.tenant_id)) {
      await deleteTrajectories({ store, blobs, tenantId, trajectoryIds: rows.map((row) => row.trajectory_id) });
    }
    trajectories += found.length;
  }
  // A record this old that is sent again is taken and expires with the next round.
  await db.deleteFrom('capture_records').where('at', '<', olderThan).execute();
  await db.deleteFrom('capture_streams').where('updated_at', '<', olderThan).execute();
  if (trajectories > 0 && store.dialect === 'sqlite') await eraseDeletedPages(store);
  return { trajectories };
}
