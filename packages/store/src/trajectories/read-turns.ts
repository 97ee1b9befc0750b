import type { TrajectoryTurn } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { decodeTurn } from './captures/turn-payload.ts';

const COLUMNS = [
  'turn_id',
  'trajectory_id',
  'turn_index',
  'parent_index',
  'kept_messages',
  'payload',
  'payload_digest',
] as const;

/** The turns of some trajectories, by trajectory and in order. */
export async function readTurns(options: {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  trajectoryIds: readonly string[];
}): Promise<Map<string, TrajectoryTurn[]>> {
  const { store, blobs, tenantId, trajectoryIds } = options;
  const turns = new Map<string, TrajectoryTurn[]>();
  if (trajectoryIds.length === 0) return turns;
  const rows = await store.db
    .selectFrom('turns')
    .select(COLUMNS)
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', 'in', trajectoryIds)
    .orderBy('trajectory_id')
    .orderBy('turn_index')
    .execute();
  for (const row of rows) {
    const payload = row.payload ?? (row.payload_digest === null ? undefined : await blobs.get(row.payload_digest));
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
