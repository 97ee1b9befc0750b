import type { Store } from '../database/store.ts';

export interface RecordedModel {
  model: string | null;
  source: string;
  trajectories: number;
}

/** What is recorded, by the model and by who recorded it; the most first. */
export async function countRecorded(options: { store: Store; tenantId: string }): Promise<RecordedModel[]> {
  const rows = await options.store.db
    .selectFrom('trajectories')
    .select(({ fn }) => ['model', 'source', fn.countAll<number | string>().as('count')])
    .where('tenant_id', '=', options.tenantId)
    .groupBy(['model', 'source'])
    .execute();
  return rows
    .map(({ model, source, count }) => ({ model, source, trajectories: Number(count) }))
    .toSorted((left, right) => right.trajectories - left.trajectories || (left.source < right.source ? -1 : 1));
}
