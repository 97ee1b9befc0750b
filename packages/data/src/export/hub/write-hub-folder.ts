import type { DataRecord } from '@lachesis/protocol';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findMessageFields } from '../parquet/message-struct.ts';
import { readMessages, writeParquet } from '../parquet/write-parquet.ts';
import { writePieces } from '../write-pieces.ts';
import { type DatasetCardOptions, writeDatasetCard } from './write-dataset-card.ts';

/** The hub's viewer likes files of some hundred megabytes; this many rows stay under it with long conversations too. */
const ROWS_PER_FILE = 50_000;

/** A split names a file, so it is letters, digits, dots and lines. */
const SPLIT = /^\w[\w.-]*$/;

export interface WriteHubFolderOptions extends Pick<
  DatasetCardOptions,
  'name' | 'contentDigest' | 'recipe' | 'license'
> {
  directory: string;
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>;
  rowsPerFile?: number;
}

export interface HubFolder {
  /** From the folder, with slashes; README.md is the last to be written. */
  files: string[];
  splits: Record<string, number>;
}

/**
 * Writes a folder that `load_dataset("<folder>")` opens and the hub shows. Rows are held in memory, since all files of a set
 * need the same columns.
 */
export async function writeHubFolder(options: WriteHubFolderOptions): Promise<HubFolder> {
  const { directory, rowsPerFile = ROWS_PER_FILE } = options;
  const bySplit = new Map<string, DataRecord[]>();
  for await (const record of options.records) {
    if (!SPLIT.test(record.split)) {
      throw new Error(
        `row ${record.id} is in the split ${JSON.stringify(record.split)}; a split is named by letters, digits, "_", "." and "-".`,
      );
    }
    const rows = bySplit.get(record.split);
    if (rows === undefined) bySplit.set(record.split, [record]);
    else rows.push(record);
  }
  const messageFields = findMessageFields(readMessages([...bySplit.values()].flat()));
  const data = join(directory, 'data');
  await mkdir(data, { recursive: true });
  await refuseOtherFiles(data);

  const files: string[] = [];
  const splits: Record<string, number> = {};
  for (const [split, rows] of [...bySplit].sort(([left], [right]) => compareSplits(left, right))) {
    splits[split] = rows.length;
    const count = Math.ceil(rows.length / rowsPerFile);
    for (let index = 0; index < count; index++) {
      const file = `data/${split}-${pad(index)}-of-${pad(count)}.parquet`;
      const piece = rows.slice(index * rowsPerFile, (index + 1) * rowsPerFile);
      await writePieces(join(directory, file), writeParquet(piece, { messageFields }));
      files.push(file);
    }
  }
  const kind = bySplit.values().next().value?.[0]?.kind ?? 'conversation';
  const { name, contentDigest, recipe, license } = options;
  const card = writeDatasetCard({
    name,
    kind,
    splits,
    ...(contentDigest === undefined ? {} : { contentDigest }),
    ...(recipe === undefined ? {} : { recipe }),
    ...(license === undefined ? {} : { license }),
  });
  await writeFile(join(directory, 'README.md'), card);
  return { files: [...files, 'README.md'], splits };
}

// A file of an earlier export would be loaded as rows of this one.
async function refuseOtherFiles(directory: string): Promise<void> {
  const [other] = await readdir(directory);
  if (other !== undefined) {
    throw new Error(`${directory} is not empty (${other}); export into a new folder, or remove the old one.`);
  }
}

/** `train` is what people look for; the others by name. */
const compareSplits = (left: string, right: string): number =>
  Number(right === 'train') - Number(left === 'train') || (left < right ? -1 : 1);

const pad = (value: number): string => String(value).padStart(5, '0');
