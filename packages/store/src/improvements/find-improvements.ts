import type { Store } from '../database/store.ts';
import { LEASE_COLUMNS } from '../leases/with-lease.ts';
import { toImprovement, type Improvement } from './improvement.ts';

/** An id, or the name of a model, which means its newest improvement. */
export async function findImprovement(options: {
  store: Store;
  tenantId: string;
  ref: string;
}): Promise<Improvement | undefined> {
  const { store, tenantId, ref } = options;
  const row = await store.db
    .selectFrom('improvements')
    .leftJoin('leases', (join) =>
      join
        .onRef('leases.tenant_id', '=', 'improvements.tenant_id')
        .onRef('leases.resource', '=', 'improvements.improvement_id')
        .on('leases.kind', '=', 'improvement'),
    )
    .selectAll('improvements')
    .select(LEASE_COLUMNS)
    .where('improvements.tenant_id', '=', tenantId)
    .where((eb) => eb.or([eb('improvement_id', '=', ref), eb('model', '=', ref)]))
    .orderBy('created_at', 'desc')
    .orderBy('improvement_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const stages = await store.db
    .selectFrom('improvement_stages')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('improvement_id', '=', row.improvement_id)
    .orderBy('ordinal')
    .execute();
  return toImprovement(row, stages);
}

/** Of one model or of all, the newest first. */
export async function listImprovements(options: {
  store: Store;
  tenantId: string;
  model?: string | undefined;
}): Promise<Improvement[]> {
  const { store, tenantId, model } = options;
  let query = store.db.selectFrom('improvements').select('improvement_id').where('tenant_id', '=', tenantId);
  if (model !== undefined) query = query.where('model', '=', model);
  const rows = await query.orderBy('created_at', 'desc').orderBy('improvement_id', 'desc').execute();
  const found: Improvement[] = [];
  for (const { improvement_id: ref } of rows) {
    const improvement = await findImprovement({ store, tenantId, ref });
    if (improvement !== undefined) found.push(improvement);
  }
  return found;
}

/** Those of every tenant that a server is to bring on, the oldest first. */
export async function listServedImprovements({ store }: { store: Store }): Promise<Improvement[]> {
  const rows = await store.db
    .selectFrom('improvements')
    .select(['tenant_id', 'improvement_id'])
    .where('runner', '=', 'server')
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('improvement_id')
    .execute();
  const found = await Promise.all(
    rows.map(({ tenant_id: tenantId, improvement_id: ref }) => findImprovement({ store, tenantId, ref })),
  );
  return found.filter((improvement) => improvement !== undefined);
}
