import type { BlobStore } from '../blobs/blob-store.ts';
import { readColdFile, writeColdFile, type ColumnKind } from './parquet-file.ts';
import type { StoredBlob } from '../trajectories/captures/turn-payload.ts';

/** What a file has of a turn. What may change later (rating, tags, consent) stays in the database. */
export interface ColdTurn {
  trajectory_id: string;
  turn_index: number;
  role: string;
  at: number;
  source: string;
  model: string | null;
  user_name: string | null;
  run: string | null;
  token_count: number | null;
  /** JSON: the turn as it was recorded. */
  content: string;
}

const COLUMNS: Readonly<Record<keyof ColdTurn, ColumnKind>> = {
  trajectory_id: 'text',
  turn_index: 'whole',
  role: 'text',
  at: 'time',
  source: 'text',
  model: 'text',
  user_name: 'text',
  run: 'text',
  token_count: 'whole',
  content: 'text',
};

/** Files that were read last, by their place: an export meets the turns of one file one after the other. */
const FILES_KEPT = 8;
const read = new WeakMap<object, Map<string, Promise<ColdTurn[]>>>();

export const writeColdTurns = (turns: readonly ColdTurn[]): Promise<StoredBlob> =>
  writeColdFile<ColdTurn>(COLUMNS, turns);

/** All turns of a file, in its order. */
export function readColdTurns(blobs: Pick<BlobStore, 'get'>, digest: string): Promise<ColdTurn[]> {
  const files = read.get(blobs) ?? new Map<string, Promise<ColdTurn[]>>();
  read.set(blobs, files);
  const known = files.get(digest);
  files.delete(digest);
  const turns = known ?? blobs.get(digest).then((bytes) => readColdFile<ColdTurn>(COLUMNS, bytes));
  files.set(digest, turns);
  // A place that was away for a moment is asked again.
  turns.catch(() => files.delete(digest));
  for (const oldest of files.keys()) {
    if (files.size <= FILES_KEPT) break;
    files.delete(oldest);
  }
  return turns;
}

/** The content of one turn, as text. */
export async function readColdTurn(blobs: Pick<BlobStore, 'get'>, digest: string, row: number): Promise<string> {
  const turn = (await readColdTurns(blobs, digest))[row];
  if (turn === undefined) {
    throw new Error(`The file ${digest} has no turn ${row}, though a row says so. Restore the home from a backup.`);
  }
  return turn.content;
}
