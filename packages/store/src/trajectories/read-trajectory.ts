import type { RecordGap, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readTurns } from './read-turns.ts';
import { readGaps, SUMMARY_COLUMNS, toSummary } from './summary.ts';

export interface StoredTrajectory {
  summary: TrajectorySummary;
  turns: TrajectoryTurn[];
  gaps: RecordGap[];
}

/** All of one trajectory; undefined when there is none of that id. */
export async function readTrajectory(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryId: string;
}): Promise<StoredTrajectory | undefined> {
  const { store, blobs, tenantId, trajectoryId } = options;
  const row = await store.db
    .selectFrom('trajectories')
    .select([...SUMMARY_COLUMNS, 'gaps'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', '=', trajectoryId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const turns = await readTurns({ store, blobs, tenantId, trajectoryIds: [trajectoryId] });
  return { summary: toSummary(row), turns: turns.get(trajectoryId) ?? [], gaps: readGaps(row.gaps) };
}
