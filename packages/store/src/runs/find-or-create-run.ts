import { createIdSource } from '@lachesis/protocol';
import type { IdSource, RunId } from '@lachesis/protocol';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';

export interface RunRecord {
  tenantId: string;
  runId: RunId;
  name: string;
  createdAt: number;
}

export interface RunNameOptions {
  store: Store;
  tenantId: string;
  name: string;
}

/** The run of a name, or undefined when the tenant has none of that name. */
export async function findRun({ store, tenantId, name }: RunNameOptions): Promise<RunRecord | undefined> {
  const row = await store.db
    .selectFrom('runs')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { tenantId: row.tenant_id, runId: row.run_id as RunId, name: row.name, createdAt: row.created_at };
}

/** The run of that name; two callers at once get the same one. */
export async function findOrCreateRun(options: RunNameOptions & { ids?: IdSource }): Promise<RunRecord> {
  const { store, tenantId, name, ids = createIdSource() } = options;
  const found = await findRun(options);
  if (found !== undefined) return found;
  const query = store.db
    .insertInto('runs')
    .values({ tenant_id: tenantId, run_id: ids.next(), name, created_at: databaseClock(store.dialect) })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
    .compile();
  await store.commit({ statements: [{ query }] });
  const created = await findRun(options);
  if (created === undefined) throw new Error(`Run "${name}" was created and is gone again.`);
  return created;
}

export async function listRuns({ store, tenantId }: Omit<RunNameOptions, 'name'>): Promise<RunRecord[]> {
  const rows = await store.db
    .selectFrom('runs')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('run_id')
    .execute();
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    runId: row.run_id as RunId,
    name: row.name,
    createdAt: row.created_at,
  }));
}
