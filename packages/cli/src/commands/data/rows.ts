import type { DroppedField } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { findDataset, readDatasetRows } from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import { fail } from '../../terminal/fail.ts';
import type { LocalLibrary } from '../../flags/library/local-library.ts';

/** The version a reference names; ends the command when there is none. */
export async function requireDataset(
  { store, tenantId }: LocalLibrary,
  ref: string,
  what = 'data set',
): Promise<DatasetVersion> {
  const dataset = await findDataset({ store, tenantId, ref });
  return dataset ?? fail(`there is no ${what} ${ref}. \`lachesis data sets list\` shows them.`);
}

export function readSetRows(library: LocalLibrary, dataset: DatasetVersion): AsyncGenerator<DataRecord> {
  return readDatasetRows({ ...library, datasetId: dataset.dataset_id });
}

/** What was left out, for people. */
export function formatDrops(drops: readonly DroppedField[]): string {
  return drops.map(({ field, count, reason }) => `  ${count} × ${field}: ${reason}\n`).join('');
}
