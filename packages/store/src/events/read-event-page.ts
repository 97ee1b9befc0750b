import type { Store } from '../database/store.ts';
import type { EventsTable } from '../schema/history.ts';

export interface EventPageOptions {
  store: Pick<Store, 'db'>;
  tenantId: string;
  runId: string;
  /** Events after this one; 0 starts at the first. */
  afterCursor?: number;
  limit?: number;
}

/** The next events in order; fewer than `limit` means these are all there are now. */
export async function readEventPage(options: EventPageOptions): Promise<EventsTable[]> {
  const { store, tenantId, runId, afterCursor = 0, limit = 500 } = options;
  return await store.db
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('cursor', '>', afterCursor)
    .orderBy('cursor')
    .limit(limit)
    .execute();
}
