import { hash } from 'node:crypto';
import { createIdSource, type IdSource } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { ModelMissingError } from '../errors/model-errors.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import { findModel } from './find-models.ts';
import { appendModelEvent } from './model-events.ts';
import type { JsonObject, ModelEvaluation } from './model-version.ts';
import { tryAgain } from './try-again.ts';

/**
 * Notes how a version of a model did in an evaluation. The same result under the same name is the one that is there.
 */
export async function recordModelEvaluation(options: {
  store: Store;
  tenantId: string;
  /** `name@version` or `modelVersionId`. */
  ref: string;
  /** What was measured, such as `improve/held-out`. */
  name: string;
  content: JsonObject;
  ids?: IdSource;
}): Promise<ModelEvaluation> {
  const { store, tenantId, ref, name, ids = createIdSource() } = options;
  const content = toCanonicalJson(options.content);
  const digest = hash('sha256', content, 'hex');
  return tryAgain(async () => {
    const model = await findModel({ store, tenantId, ref });
    if (model === undefined) throw new ModelMissingError({ ref });
    const same = model.evaluations.find((one) => one.name === name && toCanonicalJson(one.content) === content);
    if (same !== undefined) return same;
    const row = {
      tenant_id: tenantId,
      model_version_id: model.modelVersionId,
      evaluation_id: ids.next(),
      name,
      content,
      content_digest: digest,
      created_at: await store.now(),
    };
    const event = await appendModelEvent({
      ...{ store, tenantId, name: model.name, kind: 'model-evaluated', at: row.created_at },
      data: { version: model.version, evaluation: name, evaluation_id: row.evaluation_id },
    });
    const statements = [insertRow({ dialect: store.dialect, table: 'model_evaluations', row, expectRows: 1 }), event];
    await store.commit({ statements });
    return { evaluationId: row.evaluation_id, name, content: options.content, createdAt: row.created_at };
  });
}
