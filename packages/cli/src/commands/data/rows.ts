import { type Loss, readLibrary } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { type DatasetVersion, findDataset, readDatasetRows } from '@lachesis/store';
import { fail } from '../../terminal/fail.ts';
import type { LocalLibrary } from '../../flags/library/local-library.ts';
import { dataFilterFlags, readFilter } from '../../flags/filter.ts';

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

/** Rows of a set, or of the library through the filter that was typed. */
export async function openRows(
  library: LocalLibrary,
  args: Record<string, unknown>,
): Promise<{ rows: AsyncGenerator<DataRecord>; dataset: DatasetVersion | undefined }> {
  const ref = args['dataset'];
  if (typeof ref === 'string') {
    const dataset = await requireDataset(library, ref);
    return { rows: readSetRows(library, dataset), dataset };
  }
  const kind = args['pairs'] === true ? 'preference' : 'conversation';
  return {
    rows: readLibrary({ ...library, filter: readFilter(args, Date.now(), dataFilterFlags), kind }),
    dataset: undefined,
  };
}

/** What was left out, for people. */
export function formatLosses(losses: readonly Loss[]): string {
  return losses.map(({ field, count, reason }) => `  ${count} × ${field}: ${reason}\n`).join('');
}
