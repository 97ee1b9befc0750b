import type { AgedRun } from './aged-run.ts';

const PORTION = 1_000;

/** Forgets idempotency keys that were used before that time: a push that comes with one of them again is a new one. */
export async function retainKeys({ store, tenantId, runId, olderThan, isDryRun }: AgedRun): Promise<{ keys: number }> {
  const old = store.db
    .selectFrom('idempotency_keys')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('created_at', '<', olderThan);
  if (isDryRun) {
    const { count } = await old.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow();
    return { keys: Number(count) };
  }
  let keys = 0;
  for (;;) {
    const rows = await old.select('key').limit(PORTION).execute();
    if (rows.length === 0) return { keys };
    const query = store.db
      .deleteFrom('idempotency_keys')
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .where(
        'key',
        'in',
        rows.map((row) => row.key),
      );
    await store.commit({ statements: [{ query: query.compile() }] });
    keys += rows.length;
  }
}
