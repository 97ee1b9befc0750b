import { createIdSource, type IdSource } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { JsonObject } from '../models/model-version.ts';
import { tryAgain } from '../models/try-again.ts';
import { findImprovement } from './find-improvements.ts';
import { toImprovement, type Improvement, type ImprovementRunner } from './improvement.ts';

/** Begins an improvement of a model, or gives the one that is open: a model has one at a time. */
export async function startImprovement(options: {
  store: Store;
  tenantId: string;
  model: string;
  plan: JsonObject;
  /** The stage it begins with. */
  stage: string;
  /** Null: the one who begins it brings it on. */
  runner?: ImprovementRunner | null;
  ids?: IdSource;
}): Promise<{ improvement: Improvement; isNew: boolean }> {
  const { store, tenantId, model, plan, stage, runner = null, ids = createIdSource() } = options;
  return tryAgain(async () => {
    const open = await findImprovement({ store, tenantId, ref: model });
    if (open !== undefined && open.endedAt === null) return { improvement: open, isNew: false };
    const now = await store.now();
    const row = {
      ...{ tenant_id: tenantId, improvement_id: ids.next(), model, plan: toCanonicalJson(plan), stage },
      ...{ outcome: null, reason: null, problem: null, created_at: now, changed_at: now, ended_at: null },
      ...{ runner, progress: null },
    };
    const { dialect } = store;
    // Of two that begin at once the index of open ones refuses one, which then finds the other's.
    await store.commit({ statements: [insertRow({ dialect, table: 'improvements', row, expectRows: 1 })] });
    const lease = { epoch: null, holder: null, lease_expires_at: null };
    return { improvement: toImprovement({ ...row, ...lease }, []), isNew: true };
  });
}
