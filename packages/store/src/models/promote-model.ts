import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { ModelMissingError, ModelOvertakenError, ModelRefusedError } from '../errors/model-errors.ts';
import { findModel } from './find-models.ts';
import { appendModelEvent } from './model-events.ts';
import { toModelPromotion, type ModelPromotion, type ModelVersion } from './model-version.ts';
import { tryAgain } from './try-again.ts';

interface NameOptions {
  store: Store;
  tenantId: string;
  name: string;
}

export interface PromoteModelOptions extends NameOptions {
  version: number;
  reason: string;
  /** Who did it: a person, or what decided. */
  by: string;
  /** Only while the name serves this version, by its id; null while it serves nothing. A ModelOvertakenError otherwise. */
  over?: string | null | undefined;
}

/** What a name serves, with the change that made it so. */
export interface PromotedModel {
  model: ModelVersion;
  promotion: ModelPromotion;
}

/** Makes a version the one its name serves. One that is served already stays, without another line of history. */
export function promoteModel(options: PromoteModelOptions): Promise<ModelPromotion> {
  const { store, tenantId, name, version, over } = options;
  return tryAgain(async () => {
    const last = await readLastPromotion(options);
    if (last?.version === version) return last;
    // Somebody who is faster than the row below takes its key, and this is looked at again.
    if (over !== undefined && (last?.modelVersionId ?? null) !== over) {
      const served = last === undefined ? null : `${name}@${last.version}`;
      throw new ModelOvertakenError({ ref: `${name}@${version}`, served });
    }
    const model = await findModel({ store, tenantId, ref: `${name}@${version}` });
    if (model === undefined) throw new ModelMissingError({ ref: `${name}@${version}` });
    if (model.method === 'reward') {
      const next = 'Name it where rewards are made; it writes no replies.';
      throw new ModelRefusedError({ ref: `${name}@${version}`, reason: 'is a reward model', next });
    }
    refuseDeleted(model);
    return append({ ...options, kind: 'promoted', model, last });
  });
}

/** Who trains and deletes what is old is not to be raced: the guard in `append` looks once more. */
function refuseDeleted({ name, version, run, weightsDeletedAt }: ModelVersion): void {
  if (weightsDeletedAt === null) return;
  const reason = `has no weights any more: the run ${run ?? 'that made it'} keeps only so many checkpoints`;
  const next = `Take another version: \`lachesis models list --name ${name}\`.`;
  throw new ModelRefusedError({ ref: `${name}@${version}`, reason, next });
}

/** Goes back to what the name served before its last promotion. Doing it twice goes back by two. */
export function rollbackModel(options: Omit<PromoteModelOptions, 'over' | 'version'>): Promise<ModelPromotion> {
  const { store, tenantId, name } = options;
  return tryAgain(async () => {
    const history = await listPromotions(options);
    const before = replay(history).at(-2);
    if (before === undefined) {
      const reason = history.length === 0 ? 'was never promoted' : 'served nothing before what it serves now';
      throw new ModelRefusedError({
        ref: name,
        reason,
        next: 'Promote a version: `lachesis models promote name@version`.',
      });
    }
    const model = await findModel({ store, tenantId, ref: `${name}@${before}` });
    if (model === undefined) throw new ModelMissingError({ ref: `${name}@${before}` });
    return append({ ...options, kind: 'rolled-back', model, last: history.at(-1) });
  });
}

/** The history of a name, the oldest first. */
export async function listPromotions({ store, tenantId, name }: NameOptions): Promise<ModelPromotion[]> {
  const rows = await store.db
    .selectFrom('model_promotions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .orderBy('ordinal')
    .execute();
  return rows.map((row) => toModelPromotion(row));
}

/** The last change of a name: one row by its key, cheap enough to be asked every second. */
export async function readLastPromotion({ store, tenantId, name }: NameOptions): Promise<ModelPromotion | undefined> {
  const row = await store.db
    .selectFrom('model_promotions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toModelPromotion(row);
}

/** The version that a name serves now, with its promotion. */
export async function findPromoted(options: NameOptions): Promise<PromotedModel | undefined> {
  const promotion = await readLastPromotion(options);
  if (promotion === undefined) return undefined;
  const model = await findModel({ ...options, ref: promotion.modelVersionId });
  return model === undefined ? undefined : { model, promotion };
}

/** The versions served one after another, without those that were taken back. */
function replay(history: readonly ModelPromotion[]): number[] {
  const served: number[] = [];
  for (const { kind, version } of history) {
    if (kind === 'promoted') served.push(version);
    else served.pop();
  }
  return served;
}

async function append(
  options: NameOptions & {
    kind: ModelPromotion['kind'];
    model: ModelVersion;
    last: ModelPromotion | undefined;
    reason: string;
    by: string;
  },
): Promise<ModelPromotion> {
  const { store, tenantId, name, kind, model, last, reason, by } = options;
  const row = {
    tenant_id: tenantId,
    name,
    // The key: of two changes at once one is refused, and decided again.
    ordinal: (last?.ordinal ?? 0) + 1,
    kind,
    model_version_id: model.modelVersionId,
    version: model.version,
    reason,
    author: by,
    at: await store.now(),
  };
  const event = await appendModelEvent({
    ...{ store, tenantId, name, kind: `model-${kind}`, at: row.at },
    data: { version: row.version, model_version_id: row.model_version_id, before: last?.version ?? null, reason, by },
  });
  const stillThere = store.db
    .updateTable('checkpoints')
    .set((eb) => ({ deleted_at: eb.ref('deleted_at') }))
    .where('tenant_id', '=', tenantId)
    .where('weights_path', '=', model.weightsPath)
    .where('deleted_at', 'is not', null)
    .compile();
  await store.commit({
    statements: [
      insertRow({ dialect: store.dialect, table: 'model_promotions', row, expectRows: 1 }),
      event,
      { query: stillThere, expectRows: 0 },
    ],
  });
  return toModelPromotion(row);
}
