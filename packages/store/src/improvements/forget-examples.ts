import { isRecord } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { toCanonicalJson, type JsonValue } from '../events/canonical-json.ts';

/** Takes out of every improvement the replies that it shows to a prompt of these trajectories; its figures stay. */
export async function forgetExamples(options: {
  store: Store;
  tenantId: string;
  trajectoryIds: readonly string[];
}): Promise<void> {
  const { store, tenantId } = options;
  const gone = new Set(options.trajectoryIds);
  const stages = await store.db
    .selectFrom('improvement_stages')
    .select(['improvement_id', 'stage', 'content'])
    .where('tenant_id', '=', tenantId)
    .where('content', 'like', '%"examples"%')
    .execute();
  for (const { improvement_id: id, stage, content } of stages) {
    const parsed = JSON.parse(content) as Record<string, JsonValue>;
    const examples = Array.isArray(parsed['examples']) ? parsed['examples'] : [];
    const kept = examples.filter((one) => !isRecord(one) || !gone.has(String(one['trajectory_id'])));
    if (kept.length === examples.length) continue;
    const query = store.db
      .updateTable('improvement_stages')
      .set({ content: toCanonicalJson({ ...parsed, examples: kept }) })
      .where('tenant_id', '=', tenantId)
      .where('improvement_id', '=', id)
      .where('stage', '=', stage);
    await store.commit({ statements: [{ query: query.compile() }] });
  }
}
