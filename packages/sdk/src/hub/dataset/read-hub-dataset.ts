import { join } from 'node:path';
import { fetchSnapshot, type FetchSnapshotOptions } from '../fetch-snapshot.ts';
import { HubError } from '../hub-error.ts';
import { chooseSplitFiles } from './choose-split-files.ts';
import { readRows, type DatasetRow } from './read-rows.ts';

export interface ReadHubDatasetOptions extends Pick<
  FetchSnapshotOptions,
  'cacheDirectory' | 'env' | 'fetch' | 'isPatient' | 'onProgress' | 'signal' | 'sleep'
> {
  /** Owner and name on the hub, as in `openai/gsm8k`. */
  readonly name: string;
  /** Default `train`. */
  readonly split?: string | undefined;
  /** A part of the data set, as in `main` of GSM8K; default: the one it says, or the only one. */
  readonly config?: string | undefined;
  /** A branch, a tag or a commit; default `main`. */
  readonly revision?: string | undefined;
  /** Columns that must be there; the others are not read. All when left out. */
  readonly fields?: readonly string[] | undefined;
  /** At most so many rows. */
  readonly limit?: number | undefined;
}

/**
 * The rows of a split of a data set on the hub, from files of Parquet or of lines of JSON. What is in the cache is not asked
 * for; a file with another hash than the hub announced, or that cannot be read, is refused by name.
 */
export async function readHubDataset(options: ReadHubDatasetOptions): Promise<DatasetRow[]> {
  const { name, split = 'train', config, revision, fields, limit = Number.POSITIVE_INFINITY } = options;
  let files: readonly string[] = [];
  const snapshot = await fetchSnapshot({
    ...options,
    ...{ type: 'dataset', repository: name, revision },
    choose: async (listed, readText) => {
      const card = listed.includes('README.md') ? await readText('README.md') : undefined;
      const chosen = chooseSplitFiles({ files: listed, card, config, split });
      if ('refusal' in chosen) return chosen;
      files = chosen.files;
      return files;
    },
  });
  const rows: DatasetRow[] = [];
  for (const file of files) {
    if (rows.length >= limit) break;
    await readFileInto({ rows, limit, fields, file, path: join(snapshot, file), repository: name });
  }
  return rows;
}

async function readFileInto(options: {
  rows: DatasetRow[];
  limit: number;
  fields: readonly string[] | undefined;
  file: string;
  path: string;
  repository: string;
}): Promise<void> {
  const { rows, limit, fields = [], file, repository } = options;
  try {
    for await (const row of readRows(options.path, options.fields)) {
      const missing = fields.find((name) => !Object.hasOwn(row, name));
      if (missing !== undefined) throw new Error(`row ${rows.length + 1} has no ${JSON.stringify(missing)}`);
      rows.push(row);
      if (rows.length >= limit) return;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HubError({
      ...{ kind: 'broken-file', repository, cause },
      reason: `${file} of ${repository} cannot be read: ${reason.replace(/\.$/, '')}.`,
      hint: 'Name other fields, another split or another data set, or give a JSONL file of your own.',
    });
  }
}
