import type { Store, WriteStatement } from '../database/store.ts';
import { FIRST_PREVIOUS_HASH } from '../events/chain-event.ts';
import { createEventRow } from '../events/create-event-row.ts';
import type { JsonObject } from './model-version.ts';

/** Under which the history of a name stands among the events. No run has a slash in its name. */
export const modelEventsOf = (name: string): string => `models/${name}`;

/** The next line of the history of a name. Who was overtaken gets a StoreConflictError from the commit. */
export async function appendModelEvent(options: {
  store: Store;
  tenantId: string;
  name: string;
  kind: 'model-evaluated' | 'model-promoted' | 'model-registered' | 'model-rolled-back';
  at: number;
  data: JsonObject;
}): Promise<WriteStatement> {
  const { store, tenantId, name, kind, at, data } = options;
  const runId = modelEventsOf(name);
  const last = await store.db
    .selectFrom('events')
    .select(['cursor', 'hash'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .orderBy('cursor', 'desc')
    .limit(1)
    .executeTakeFirst();
  const event = { tenantId, runId, cursor: (last?.cursor ?? 0) + 1, kind, at, data };
  const row = createEventRow(last?.hash ?? FIRST_PREVIOUS_HASH, event);
  return { query: store.db.insertInto('events').values(row).compile(), expectRows: 1 };
}
