import type { QueueChanges, Store } from '@lachesis/store';
import { isId } from './is-id.ts';

type BatchFate = QueueChanges['batchHistory'][number]['fate'];

/** How a batch that is not open any more ended. */
export async function findSettledBatch(
  store: Store,
  batch: { tenantId: string; batchId: string },
): Promise<{ fate: BatchFate; epoch: number } | null> {
  if (!isId(batch.batchId)) return null;
  const row = await store.db
    .selectFrom('batches')
    .select(['fate', 'epoch'])
    .where('tenant_id', '=', batch.tenantId)
    .where('batch_id', '=', batch.batchId)
    .executeTakeFirst();
  return row ?? null;
}
