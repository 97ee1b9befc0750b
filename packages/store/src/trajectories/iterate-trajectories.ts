import { setImmediate } from 'node:timers/promises';
import type { TrajectoryFilter, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { readPage, toCursor } from './list-trajectories.ts';
import type { PageCursor, PageRow } from './page-cursor.ts';
import { decodeTurns, selectTurns } from './read-turns.ts';
import type { TurnRow } from './read-turns.ts';
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

/** Trajectories of one read, and their turns as they are stored, which the database is reading. */
interface FetchedBatch {
  rows: PageRow[];
  turns: Promise<readonly TurnRow[]>;
  /** Undefined after the last. */
  cursor: PageCursor | undefined;
}

/**
 * All trajectories that fit, with their turns, in order of arrival. While the turns of a batch are decoded the database reads
 * those of the next one, and while the batch is used it looks for the rows of the one after: whoever writes each trajectory
 * out at once does not wait for it.
 */
export async function* iterateTrajectories(
  options: IterateTrajectoriesOptions,
): AsyncGenerator<{ summary: TrajectorySummary; turns: TrajectoryTurn[] }, void, undefined> {
  let batch: FetchedBatch | undefined = await fetchBatch(options, undefined);
  let following = fetchFollowing(options, batch);
  while (batch !== undefined) {
    const stored = await batch.turns;
    const next: FetchedBatch | undefined = await following;
    following = fetchFollowing(options, next);
    const trajectoryIds = batch.rows.map((row) => row.trajectory_id);
    const turns = await decodeTurns(stored, options.blobs, () => selectTurns({ ...options, trajectoryIds }));
    // SQLite has one connection: its next question is sent when the answer to the last one was taken.
    await setImmediate();
    for (const row of batch.rows) yield { summary: toSummary(row), turns: turns.get(row.trajectory_id) ?? [] };
    batch = next;
  }
}

/** Told when it is awaited; until then, and when the caller stops early, its failure is nobody's. */
function fetchFollowing(
  options: IterateTrajectoriesOptions,
  batch: FetchedBatch | undefined,
): Promise<FetchedBatch> | undefined {
  if (batch?.cursor === undefined) return undefined;
  const following = fetchBatch(options, batch.cursor);
  following.catch(() => undefined);
  return following;
}

async function fetchBatch(options: IterateTrajectoriesOptions, cursor: PageCursor | undefined): Promise<FetchedBatch> {
  const { store, tenantId, filter, batchSize = BATCH_SIZE } = options;
  const rows = await readPage({ store, tenantId, filter, limit: batchSize, cursor, order: 'oldest' });
  const turns = selectTurns({ store, tenantId, trajectoryIds: rows.map((row) => row.trajectory_id) });
  turns.catch(() => undefined);
  const last = rows.at(-1);
  return { rows, turns, cursor: rows.length < batchSize || last === undefined ? undefined : toCursor(last) };
}
