import { hash } from 'node:crypto';
import { createIdSource, type IdSource } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { findDataset } from '../datasets/find-datasets.ts';
import { ModelMissingError, ModelRefusedError } from '../errors/model-errors.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { LineageArrow } from '../lineage/lineage-arrow.ts';
import { writeArrows } from '../lineage/record-lineage.ts';
import { findModel } from './find-models.ts';
import { appendModelEvent } from './model-events.ts';
import {
  toModelVersion,
  type JsonObject,
  type ModelDataset,
  type ModelMethod,
  type ModelVersion,
} from './model-version.ts';
import { tryAgain } from './try-again.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Settings are short; a whole data set in here would be read with every list. */
const MOST_CONFIG_CHARACTERS = 64 * 1024;

export interface RegisterModelOptions {
  store: Store;
  tenantId: string;
  /** Letters, digits, dots, dashes and underscores. Versions of one name follow one another. */
  name: string;
  baseModel: string;
  method: ModelMethod;
  /** A `tinker://` path to sample from; empty for the base model itself. */
  weightsPath: string;
  statePath?: string | null;
  run?: string | null;
  step?: number | null;
  /** The version it was trained from: `modelVersionId` or `name@version`. */
  parent?: string | null;
  dataset?: ModelDataset | null;
  config?: JsonObject;
  /** `modelVersionId` of the reward model that scored its training. */
  rewardModel?: string | null;
  ids?: IdSource;
}

/**
 * Makes the next version of a name, with its lineage: data set, run, parent and reward model. The same name, run, step
 * and weights are the version that is there, so a trainer that died after this may do it again.
 */
export async function registerModel(options: RegisterModelOptions): Promise<ModelVersion> {
  const { store, tenantId, name, ids = createIdSource() } = options;
  const { run = null, step = null, weightsPath } = options;
  if (!NAME.test(name)) {
    const next = 'Use letters, digits, dots, dashes and underscores, at most 100.';
    throw new ModelRefusedError({ ref: JSON.stringify(name), reason: 'has a name that cannot be used', next });
  }
  const config = toCanonicalJson(options.config ?? {});
  if (config.length > MOST_CONFIG_CHARACTERS) {
    const reason = `has a config of ${config.length} characters; it may have ${MOST_CONFIG_CHARACTERS}`;
    throw new ModelRefusedError({ ref: name, reason, next: 'Put long values into a blob and name it.' });
  }
  const identity = hash('sha256', toCanonicalJson([name, run, step, weightsPath]), 'hex');
  return tryAgain(async () => {
    const same = await store.db
      .selectFrom('model_versions')
      .select('model_version_id')
      .where('tenant_id', '=', tenantId)
      .where('identity', '=', identity)
      .executeTakeFirst();
    const found = same && (await findModel({ store, tenantId, ref: same.model_version_id }));
    if (found !== undefined) return found;
    const parent = await findParent(options);
    const row = {
      tenant_id: tenantId,
      model_version_id: ids.next(),
      name,
      version: ((await findModel({ store, tenantId, ref: name }))?.version ?? 0) + 1,
      base_model: options.baseModel,
      method: options.method,
      weights_path: weightsPath,
      state_path: options.statePath ?? null,
      run,
      step,
      parent,
      dataset: options.dataset ? toCanonicalJson({ ...options.dataset }) : null,
      config,
      identity,
      created_at: await store.now(),
    };
    const event = await appendModelEvent({
      ...{ store, tenantId, name, kind: 'model-registered', at: row.created_at },
      data: { version: row.version, model_version_id: row.model_version_id, method: row.method, run, step },
    });
    const arrows = await findArrows(options, { id: row.model_version_id, parent });
    await store.commit({
      statements: [
        insertRow({ dialect: store.dialect, table: 'model_versions', row, expectRows: 1 }),
        event,
        ...writeArrows({ store, tenantId, arrows, at: row.created_at }),
      ],
    });
    return toModelVersion(row, []);
  });
}

async function findParent({ store, tenantId, parent }: RegisterModelOptions): Promise<string | null> {
  if (parent === undefined || parent === null) return null;
  const found = await findModel({ store, tenantId, ref: parent });
  if (found === undefined) throw new ModelMissingError({ ref: parent });
  return found.modelVersionId;
}

async function findArrows(
  { store, tenantId, dataset, run, rewardModel }: RegisterModelOptions,
  { id, parent }: { id: string; parent: string | null },
): Promise<LineageArrow[]> {
  const to = { kind: 'model', id } as const;
  const arrows: LineageArrow[] = [];
  if (dataset) {
    const found = await findDataset({ store, tenantId, ref: `${dataset.name}@${dataset.version}` });
    if (found !== undefined) {
      const from = { kind: 'dataset', id: found.dataset_id } as const;
      arrows.push({ from, to, relation: 'trained-into' });
      if (run) arrows.push({ from, to: { kind: 'run', id: run }, relation: 'input-of' });
    }
  }
  if (run) arrows.push({ from: { kind: 'run', id: run }, to, relation: 'produced' });
  if (parent !== null) arrows.push({ from: { kind: 'model', id: parent }, to, relation: 'parent-of' });
  if (rewardModel) arrows.push({ from: { kind: 'model', id: rewardModel }, to, relation: 'rewarded' });
  return arrows;
}
