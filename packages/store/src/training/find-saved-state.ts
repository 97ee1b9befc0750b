import type { Store } from '../database/store.ts';

/** The state, weights and optimiser, that was saved together with weights to sample from; undefined where there is none. */
export async function findSavedState(options: {
  store: Store;
  tenantId: string;
  weightsPath: string;
}): Promise<string | undefined> {
  const { store, tenantId, weightsPath } = options;
  for (const table of ['checkpoints', 'steps'] as const) {
    const row = await store.db
      .selectFrom(table)
      .select('state_path')
      .where('tenant_id', '=', tenantId)
      .where('weights_path', '=', weightsPath)
      .where('state_path', 'is not', null)
      .executeTakeFirst();
    if (row?.state_path !== undefined && row.state_path !== null) return row.state_path;
  }
  return undefined;
}
