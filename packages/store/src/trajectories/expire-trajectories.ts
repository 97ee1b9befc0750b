import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { deleteTrajectories } from './delete-trajectories.ts';
import { eraseDeletedPages, eraseOnDelete } from './erase-deleted-pages.ts';

/** Trajectories of one commit: others record between two of them. */
const PORTION = 200;

export interface ExpireTrajectoriesOptions {
  store: Store;
  blobs: BlobStore;
  /** Milliseconds since 1970. */
  olderThan: number;
  /** Of this tenant alone. */
  tenantId?: string;
  /** Of the run of this name alone. */
  runName?: string;
  /** Not those of the runs of these names. */
  exceptRuns?: readonly string[];
  /** Counts them, and deletes none. */
  isDryRun?: boolean;
}

/**
 * Keeps to the retention: trajectories in which nothing happened since `olderThan` are deleted, for every tenant where none
 * is named. Data sets keep the rows that were made from them: somebody decided to keep those.
 */
export async function expireTrajectories(options: ExpireTrajectoriesOptions): Promise<{ trajectories: number }> {
  const { store, blobs, olderThan, tenantId, runName } = options;
  if (options.isDryRun === true) {
    const count = selectExpired(options).select((eb) => eb.fn.countAll().as('count'));
    return { trajectories: Number((await count.executeTakeFirstOrThrow()).count) };
  }
  let trajectories = 0;
  await eraseOnDelete(store);
  for (;;) {
    const found = await selectExpired(options)
      .select(['tenant_id', 'trajectory_id'])
      .orderBy('updated_at')
      .limit(PORTION)
      .execute();
    if (found.length === 0) break;
    for (const [owner, rows] of Map.groupBy(found, (row) => row.tenant_id)) {
      const trajectoryIds = rows.map((row) => row.trajectory_id);
      await deleteTrajectories({ store, blobs, tenantId: owner, trajectoryIds });
    }
    trajectories += found.length;
  }
  if (runName === undefined) await forgetReceipts({ store, tenantId, olderThan });
  if (trajectories > 0 && store.dialect === 'sqlite') await eraseDeletedPages(store);
  return { trajectories };
}

/** Trajectories in which nothing happened since then. */
export function selectExpired({ store, olderThan, tenantId, runName, exceptRuns = [] }: ExpireTrajectoriesOptions) {
  let query = store.db.selectFrom('trajectories').where('updated_at', '<', olderThan);
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
  // A record names its run as its recorder knows it.
  if (runName !== undefined) query = query.where('run_id', '=', runName);
  if (exceptRuns.length > 0) {
    query = query.where((eb) => eb.or([eb('run_id', 'is', null), eb('run_id', 'not in', exceptRuns)]));
  }
  return query;
}

/** A record this old that is sent again is taken and expires with the next round. */
async function forgetReceipts(options: {
  store: Store;
  tenantId: string | undefined;
  olderThan: number;
}): Promise<void> {
  const { store, tenantId, olderThan } = options;
  let records = store.db.deleteFrom('capture_records').where('at', '<', olderThan);
  let streams = store.db.deleteFrom('capture_streams').where('updated_at', '<', olderThan);
  if (tenantId !== undefined) {
    records = records.where('tenant_id', '=', tenantId);
    streams = streams.where('tenant_id', '=', tenantId);
  }
  await records.execute();
  await streams.execute();
}
