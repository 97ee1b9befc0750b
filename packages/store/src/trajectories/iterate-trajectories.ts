import type { TrajectoryFilter, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readPage, toCursor } from './list-trajectories.ts';
import type { PageCursor, PageRow } from './page-cursor.ts';
import { readTurns } from './read-turns.ts';
import { toSummary } from './summary.ts';

const BATCH_SIZE = 500;

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
  /** The rows of the next one, under way; undefined after the last. */
  following: Promise<PageRow[]> | undefined;
}

/**
 * All trajectories that fit, with their turns, in order of arrival. The next batch is read while this one is used, and the
 * database looks for its rows while the turns of this one are decoded.
 */
export async function* iterateTrajectories(
  options: IterateTrajectoriesOptions,
): AsyncGenerator<{ summary: TrajectorySummary; turns: TrajectoryTurn[] }, void, undefined> {
  let next: Promise<Batch> | undefined = readBatch(options, readRows(options, undefined));
  while (next !== undefined) {
    const { items, following }: Batch = await next;
    next = following === undefined ? undefined : readBatch(options, following);
    // Told when it is awaited; until then, and when the caller stops early, it is nobody's.
    next?.catch(() => undefined);
    yield* items;
  }
}

async function readBatch(options: IterateTrajectoriesOptions, wanted: Promise<PageRow[]>): Promise<Batch> {
  const { store, blobs, tenantId, batchSize = BATCH_SIZE } = options;
  const rows = await wanted;
  const reading = readTurns({ store, blobs, tenantId, trajectoryIds: rows.map((row) => row.trajectory_id) });
  const last = rows.at(-1);
  const following = rows.length < batchSize || last === undefined ? undefined : readRows(options, toCursor(last));
  following?.catch(() => undefined);
  const turns = await reading;
  return {
    items: rows.map((row) => ({ summary: toSummary(row), turns: turns.get(row.trajectory_id) ?? [] })),
    following,
  };
}

const readRows = (options: IterateTrajectoriesOptions, cursor: PageCursor | undefined): Promise<PageRow[]> => {
  const { store, tenantId, filter, batchSize = BATCH_SIZE } = options;
  return readPage({ store, tenantId, filter, limit: batchSize, cursor, order: 'oldest' });
};
