import type { Store } from '../database/store.ts';
import type { ModelVersionsTable } from '../schema/models.ts';
import { toModelVersion, type ModelVersion } from './model-version.ts';

/** Well below what both engines take as parameters of one statement. */
const PORTION = 1_000;

/** Every version, or those of one name; by name, the newest version first. */
export async function listModels(options: { store: Store; tenantId: string; name?: string }): Promise<ModelVersion[]> {
  const { store, tenantId, name } = options;
  let query = store.db.selectFrom('model_versions').selectAll().where('tenant_id', '=', tenantId);
  if (name !== undefined) query = query.where('name', '=', name);
  return completeModels({ store, tenantId, rows: await query.orderBy('name').orderBy('version', 'desc').execute() });
}

/** By `name`, which is its newest version, by `name@3`, or by id. */
export async function findModel(options: {
  store: Store;
  tenantId: string;
  ref: string;
}): Promise<ModelVersion | undefined> {
  const { store, tenantId, ref } = options;
  const [, name, version] = /^(.*)@(\d+)$/.exec(ref) ?? [undefined, ref, undefined];
  let query = store.db.selectFrom('model_versions').selectAll().where('tenant_id', '=', tenantId);
  query =
    version === undefined
      ? query.where((eb) => eb.or([eb('name', '=', ref), eb('model_version_id', '=', ref)]))
      : query.where('name', '=', name ?? ref).where('version', '=', Number(version));
  const rows = await query.orderBy('version', 'desc').limit(1).execute();
  return (await completeModels({ store, tenantId, rows }))[0];
}

/** The newest version whose weights or whose state are under this `tinker://` path. */
export async function findModelByPath(options: {
  store: Store;
  tenantId: string;
  path: string;
}): Promise<ModelVersion | undefined> {
  const { store, tenantId, path } = options;
  const rows = await store.db
    .selectFrom('model_versions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((eb) => eb.or([eb('weights_path', '=', path), eb('state_path', '=', path)]))
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute();
  return (await completeModels({ store, tenantId, rows }))[0];
}

/** The versions with these ids, in no order; those that do not exist are left out. */
export async function findModelsById(options: {
  store: Store;
  tenantId: string;
  ids: readonly string[];
}): Promise<ModelVersion[]> {
  const { store, tenantId, ids } = options;
  const rows: ModelVersionsTable[] = [];
  for (let start = 0; start < ids.length; start += PORTION) {
    rows.push(
      ...(await store.db
        .selectFrom('model_versions')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('model_version_id', 'in', ids.slice(start, start + PORTION))
        .execute()),
    );
  }
  return completeModels({ store, tenantId, rows });
}

/** Rows with what was measured of them, and with what became of their weights. */
export async function completeModels(options: {
  store: Store;
  tenantId: string;
  rows: readonly ModelVersionsTable[];
}): Promise<ModelVersion[]> {
  const { store, tenantId, rows } = options;
  const found = [];
  const deleted = new Map<string, number>();
  for (let start = 0; start < rows.length; start += PORTION) {
    const portion = rows.slice(start, start + PORTION);
    found.push(
      ...(await store.db
        .selectFrom('model_evaluations')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where(
          'model_version_id',
          'in',
          portion.map((row) => row.model_version_id),
        )
        .orderBy('created_at')
        .orderBy('evaluation_id')
        .execute()),
    );
    const gone = await store.db
      .selectFrom('checkpoints')
      .select(['weights_path', 'deleted_at'])
      .where('tenant_id', '=', tenantId)
      .where('deleted_at', 'is not', null)
      .where(
        'weights_path',
        'in',
        portion.map((row) => row.weights_path),
      )
      .execute();
    for (const row of gone) {
      if (row.weights_path !== null && row.deleted_at !== null) deleted.set(row.weights_path, row.deleted_at);
    }
  }
  const byModel = Map.groupBy(found, (row) => row.model_version_id);
  return rows.map((row) =>
    toModelVersion(row, byModel.get(row.model_version_id) ?? [], deleted.get(row.weights_path) ?? null),
  );
}
