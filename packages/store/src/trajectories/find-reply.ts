import type { Store } from '../database/store.ts';

/** What a name stands for: a trajectory, or one turn of it. */
export interface FoundReply {
  trajectoryId: string;
  /** Undefined for the whole trajectory. */
  turnIndex: number | undefined;
}

/**
 * What was recorded under a name: the id or key of a trajectory, the id of a turn, or of the response it was. Several
 * where an upstream gives its responses one id; none for what is not recorded, or not yet.
 */
export async function findReply(options: { store: Store; tenantId: string; name: string }): Promise<FoundReply[]> {
  const { store, tenantId, name } = options;
  const { db } = store;
  const trajectories = db.selectFrom('trajectories').select('trajectory_id as id').where('tenant_id', '=', tenantId);
  const whole =
    (await trajectories.where('trajectory_id', '=', name).executeTakeFirst()) ??
    (await trajectories.where('key', '=', name).executeTakeFirst());
  if (whole !== undefined) return [{ trajectoryId: whole.id, turnIndex: undefined }];
  const turn = await db
    .selectFrom('turns')
    .select(['trajectory_id', 'turn_index'])
    .where('tenant_id', '=', tenantId)
    .where('turn_id', '=', name)
    .executeTakeFirst();
  if (turn !== undefined) return [{ trajectoryId: turn.trajectory_id, turnIndex: turn.turn_index }];
  const named = await db
    .selectFrom('turn_names')
    .select(['trajectory_id', 'turn_index'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .limit(2)
    .execute();
  return named.map(({ trajectory_id: trajectoryId, turn_index: index }) => ({
    trajectoryId,
    turnIndex: index < 0 ? undefined : index,
  }));
}
