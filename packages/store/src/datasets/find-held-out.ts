import type { Store } from '../database/store.ts';

/** Well below what both engines take as parameters of one statement. */
const PORTION = 2_000;

/** Which of the digests (`digestRecord`, either one) are held out, and in which set as `name@version`. */
export async function findHeldOut(options: {
  store: Store;
  tenantId: string;
  digests: readonly string[];
}): Promise<{ digest: string; dataset: string }[]> {
  const { store, tenantId, digests } = options;
  const found: { digest: string; dataset: string }[] = [];
  for (let start = 0; start < digests.length; start += PORTION) {
    const rows = await store.db
      .selectFrom('held_out_digests as h')
      .innerJoin('dataset_versions as v', (join) =>
        join.onRef('v.tenant_id', '=', 'h.tenant_id').onRef('v.dataset_id', '=', 'h.dataset_id'),
      )
      .select(['h.digest', 'v.name', 'v.version'])
      .where('h.tenant_id', '=', tenantId)
      .where('h.digest', 'in', digests.slice(start, start + PORTION))
      .orderBy('v.name')
      .orderBy('v.version')
      .execute();
    found.push(...rows.map(({ digest, name, version }) => ({ digest, dataset: `${name}@${version}` })));
  }
  return found;
}
