import type { TrajectoryTurn } from '@lachesis/protocol';
import { sql } from 'kysely';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';
import type { TurnsTable } from '../schema/library.ts';
import { readColdTurn } from '../cold/cold-turns.ts';
import { decodeTurn } from './captures/turn-payload.ts';

const PLACE_COLUMNS = [
  'turn_id',
  'trajectory_id',
  'turn_index',
  'parent_index',
  'kept_messages',
  'payload_digest',
  'cold_row',
] as const;

/** SQLite gives a payload that is not compressed as the text it is: bytes are allocated one by one and read again. */
export type TurnRow = Pick<TurnsTable, (typeof PLACE_COLUMNS)[number]> & { payload: string | Uint8Array | null };

/** The turns of some trajectories, by trajectory and in order. */
export async function readTurns(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryIds: readonly string[];
}): Promise<Map<string, TrajectoryTurn[]>> {
  return await decodeTurns(await selectTurns(options), options.blobs, () => selectTurns(options));
}

/** The rows of their turns, by trajectory and in order. */
export async function selectTurns(options: {
  store: Store;
  tenantId: string;
  trajectoryIds: readonly string[];
}): Promise<readonly TurnRow[]> {
  const { store, tenantId, trajectoryIds } = options;
  if (trajectoryIds.length === 0) return [];
  if (store.dialect === 'sqlite') {
    // One statement for any number of ids.
    const { rows } = await sql<TurnRow>`
      select ${sql.raw(PLACE_COLUMNS.join(', '))},
        iif(substr(payload, 1, 1) = x'7b', cast(payload as text), payload) as payload
      from turns
      where tenant_id = ${tenantId} and trajectory_id in (select value from json_each(${JSON.stringify(trajectoryIds)}))
      order by trajectory_id, turn_index`.execute(store.db);
    return rows;
  }
  return await store.db
    .selectFrom('turns')
    .select([...PLACE_COLUMNS, 'payload'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', 'in', trajectoryIds)
    .orderBy('trajectory_id')
    .orderBy('turn_index')
    .execute();
}

/** The rows of the turns of one from a number on, and one more than `limit`, which says where to go on. */
export async function selectTurnsFrom(options: {
  store: Store;
  tenantId: string;
  trajectoryId: string;
  from: number;
  limit: number | undefined;
}): Promise<readonly TurnRow[]> {
  const { store, tenantId, trajectoryId, from, limit } = options;
  const query = store.db
    .selectFrom('turns')
    .select([...PLACE_COLUMNS, 'payload'])
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', '=', trajectoryId)
    .where('turn_index', '>=', from)
    .orderBy('turn_index');
  return await (limit === undefined ? query : query.limit(limit + 1)).execute();
}

/**
 * What was recorded of each of them; one without a payload is left out. A file that was written again since the rows were read,
 * because somebody in it was forgotten, is missing: `selectAgain` reads the rows that name the new one.
 */
export async function decodeTurns(
  rows: readonly TurnRow[],
  blobs: BlobStore,
  selectAgain: () => Promise<readonly TurnRow[]>,
): Promise<Map<string, TrajectoryTurn[]>> {
  try {
    return await decodeRows(rows, blobs);
  } catch (error) {
    if (!BlobMissingError.isInstance(error) || rows.every((row) => row.cold_row === null)) throw error;
    return await decodeRows(await selectAgain(), blobs);
  }
}

async function decodeRows(rows: readonly TurnRow[], blobs: BlobStore): Promise<Map<string, TrajectoryTurn[]>> {
  const turns = new Map<string, TrajectoryTurn[]>();
  for (const row of rows) {
    const payload = row.payload ?? (await readTurnPayload(row, blobs));
    if (payload === undefined) continue;
    const decoded = decodeTurn(payload, blobs);
    const turn: TrajectoryTurn = {
      turn_id: row.turn_id,
      turn_index: row.turn_index,
      parent_index: row.parent_index,
      kept_messages: row.kept_messages,
      ...(decoded instanceof Promise ? await decoded : decoded),
    };
    const list = turns.get(row.trajectory_id);
    if (list === undefined) turns.set(row.trajectory_id, [turn]);
    else list.push(turn);
  }
  return turns;
}

/** What is not in the row: a blob of its own, or a row of a file. */
export async function readTurnPayload(
  row: Pick<TurnRow, 'payload_digest' | 'cold_row'>,
  blobs: Pick<BlobStore, 'get'>,
): Promise<string | Uint8Array | undefined> {
  if (row.payload_digest === null) return undefined;
  if (row.cold_row !== null) return await readColdTurn(blobs, row.payload_digest, row.cold_row);
  return await blobs.get(row.payload_digest);
}
