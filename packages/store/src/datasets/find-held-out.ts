import { isModelNamed, isRecord } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';

/** Well below what both engines take as parameters of one statement. */
const PORTION = 2_000;

/**
 * Which of the digests (`digestRecord`, either one) are held out, and in which set as `name@version`. A set that measures
 * one model holds nothing out of what another model learns from: name that one, and such sets are passed over.
 */
export async function findHeldOut(options: {
  store: Store;
  tenantId: string;
  digests: readonly string[];
  /** The model that is to learn from the rows, or wrote them. Absent: any may. */
  model?: string | undefined;
}): Promise<{ digest: string; dataset: string; model: string | null }[]> {
  const { store, tenantId, digests, model } = options;
  const found: { digest: string; dataset: string; model: string | null }[] = [];
  for (let start = 0; start < digests.length; start += PORTION) {
    const rows = await store.db
      .selectFrom('held_out_digests as h')
      .innerJoin('dataset_versions as v', (join) =>
        join.onRef('v.tenant_id', '=', 'h.tenant_id').onRef('v.dataset_id', '=', 'h.dataset_id'),
      )
      .select(['h.digest', 'v.name', 'v.version', 'v.recipe'])
      .where('h.tenant_id', '=', tenantId)
      .where('h.digest', 'in', digests.slice(start, start + PORTION))
      .orderBy('v.name')
      .orderBy('v.version')
      .execute();
    for (const { digest, name, version, recipe } of rows) {
      const measured = readMeasured(recipe);
      if (model !== undefined && measured !== null && !isModelNamed(model, measured)) continue;
      found.push({ digest, dataset: `${name}@${version}`, model: measured });
    }
  }
  return found;
}

/** The one model that a set was made to measure; null when it is for all. */
function readMeasured(recipe: string): string | null {
  const made = JSON.parse(recipe) as unknown;
  const model = isRecord(made) ? made['model'] : undefined;
  return typeof model === 'string' ? model : null;
}
