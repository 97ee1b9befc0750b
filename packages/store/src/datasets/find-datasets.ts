import type { Store } from '../database/store.ts';
import { toDatasetVersion } from './dataset-version.ts';
import type { DatasetVersion } from '@lachesis/protocol';

/** Every version of every data set, by name, the newest version first. */
export async function listDatasets(options: { store: Store; tenantId: string }): Promise<DatasetVersion[]> {
  const rows = await options.store.db
    .selectFrom('dataset_versions')
    .selectAll()
    .where('tenant_id', '=', options.tenantId)
    .orderBy('name')
    .orderBy('version', 'desc')
    .execute();
  return rows.map((row) => toDatasetVersion(row));
}

/** By `name`, which is its newest version, by `name@3`, or by id. */
export async function findDataset(options: {
  store: Store;
  tenantId: string;
  ref: string;
}): Promise<DatasetVersion | undefined> {
  const { store, tenantId, ref } = options;
  const [, name, version] = /^(.*)@(\d+)$/.exec(ref) ?? [undefined, ref, undefined];
  let query = store.db.selectFrom('dataset_versions').selectAll().where('tenant_id', '=', tenantId);
  query =
    version === undefined
      ? query.where((eb) => eb.or([eb('name', '=', ref), eb('dataset_id', '=', ref)]))
      : query.where('name', '=', name ?? ref).where('version', '=', Number(version));
  const row = await query.orderBy('version', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? undefined : toDatasetVersion(row);
}
