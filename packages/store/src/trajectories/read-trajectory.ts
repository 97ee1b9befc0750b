import type { RecordGap, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { decodeTurns, readTurns, selectTurnsFrom } from './read-turns.ts';
import { readGaps, SUMMARY_COLUMNS, toSummary } from './summary.ts';

export interface StoredTrajectory {
  summary: TrajectorySummary;
  turns: TrajectoryTurn[];
  gaps: RecordGap[];
  /** Where to go on when a part was asked for; null behind the last turn. */
  next_turn?: number | null;
}

/** One trajectory with its turns, all of them or at most `limit` from one on; undefined when there is none of that id. */
export async function readTrajectory(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryId: string;
  from?: number | undefined;
  limit?: number | undefined;
}): Promise<StoredTrajectory | undefined> {
  const { store, blobs, tenantId, trajectoryId, from = 0, limit } = options;
  const row = await store.db
    .selectFrom('trajectories')
    .select([...SUMMARY_COLUMNS, 'gaps'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', '=', trajectoryId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const summary = toSummary(row);
  const gaps = readGaps(row.gaps);
  if (from === 0 && limit === undefined) {
    const turns = await readTurns({ store, blobs, tenantId, trajectoryIds: [trajectoryId] });
    return { summary, turns: turns.get(trajectoryId) ?? [], gaps };
  }
  const select = () => selectTurnsFrom({ store, tenantId, trajectoryId, from, limit });
  const rows = await select();
  const turns = await decodeTurns(rows.slice(0, limit), blobs, async () => (await select()).slice(0, limit));
  const next = limit === undefined ? undefined : rows[limit];
  return { summary, turns: turns.get(trajectoryId) ?? [], gaps, next_turn: next?.turn_index ?? null };
}
