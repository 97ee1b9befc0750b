import type { TrajectoryFilter, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readPage, toCursor } from './list-trajectories.ts';
import type { PageCursor } from './page-cursor.ts';
import { readTurns } from './read-turns.ts';
import { toSummary } from './summary.ts';

export interface IterateTrajectoriesOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  filter: TrajectoryFilter;
  /** Trajectories of one read; others write between two of them. Default 500. */
  batchSize?: number;
}

interface Batch {
  items: { summary: TrajectorySummary; turns: TrajectoryTurn[] }[];
  cursor: PageCursor | undefined;
}

/** All trajectories that fit, with their turns, in order of arrival. The next batch is read while this one is used. */
export async function* iterateTrajectories(
  options: IterateTrajectoriesOptions,
): AsyncGenerator<{ summary: TrajectorySummary; turns: TrajectoryTurn[] }, void, undefined> {
  let next: Promise<Batch> | undefined = readBatch(options, undefined);
  while (next !== undefined) {
    const { items, cursor }: Batch = await next;
    next = cursor === undefined ? undefined : readBatch(options, cursor);
    // Told when it is awaited; until then, and when the caller stops early, it is nobody's.
    next?.catch(() => undefined);
    yield* items;
  }
}

async function readBatch(options: IterateTrajectoriesOptions, cursor: PageCursor | undefined): Promise<Batch> {
  const { store, blobs, tenantId, filter, batchSize = 500 } = options;
  const rows = await readPage({ store, tenantId, filter, limit: batchSize, cursor, order: 'oldest' });
  const turns = await readTurns({ store, blobs, tenantId, trajectoryIds: rows.map((row) => row.trajectory_id) });
  const last = rows.at(-1);
  return {
    items: rows.map((row) => ({ summary: toSummary(row), turns: turns.get(row.trajectory_id) ?? [] })),
    cursor: rows.length < batchSize || last === undefined ? undefined : toCursor(last),
  };
}
