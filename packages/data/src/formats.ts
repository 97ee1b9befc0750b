import type { DataRecord } from '@lachesis/protocol';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { writeJsonl } from './export/jsonl/write-jsonl.ts';
import { writeOpenAi } from './export/openai/write-openai.ts';
import { writeParquet } from './export/parquet/write-parquet.ts';
import { writeShareGpt } from './export/sharegpt/write-sharegpt.ts';
import { writeTrl } from './export/trl/write-trl.ts';
import { readGroups } from './import/groups/read-groups.ts';
import { readHermesDatabase } from './import/hermes-sessions/read-hermes-database.ts';
import { readHermesSessions } from './import/hermes-sessions/read-hermes-sessions.ts';
import { readJsonl } from './import/jsonl/read-jsonl.ts';
import { readOpenAi } from './import/openai/read-openai.ts';
import { readParquet } from './import/parquet/read-parquet.ts';
import { readShareGpt } from './import/sharegpt/read-sharegpt.ts';
import { readTrl } from './import/trl/read-trl.ts';
import type { DroppedField } from './records/drop-report.ts';
import type { ReadResult } from './records/read-result.ts';

type Records = Iterable<DataRecord> | AsyncIterable<DataRecord>;

/** A way to write rows into one file. */
export interface FileFormat {
  readonly description: string;
  /** The name of the file when nobody gives one. */
  readonly fileName: string;
  write(records: Records): AsyncGenerator<string | Uint8Array, DroppedField[]>;
}

/**
 * The formats that rows of a data set can be written in, by name. A new format is a folder in `export/` and a line
 * here.
 */
export const EXPORT_FORMATS: Readonly<Record<string, FileFormat>> = {
  jsonl: {
    description: 'our own lines; nothing is dropped',
    fileName: 'records.jsonl',
    write: (records) => writeJsonl(records),
  },
  openai: { description: 'OpenAI messages', fileName: 'messages.jsonl', write: (records) => writeOpenAi(records) },
  'openai-fine-tuning': {
    description: 'the rows OpenAI’s fine-tuning takes',
    fileName: 'fine-tuning.jsonl',
    write: (records) => writeOpenAi(records, { shape: 'fine-tuning' }),
  },
  parquet: {
    description: 'Parquet that `datasets` opens; nothing is dropped',
    fileName: 'records.parquet',
    write: (records) => writeParquet(records),
  },
  sharegpt: {
    description: 'ShareGPT as Hermes writes it',
    fileName: 'trajectory_samples.jsonl',
    write: (records) => writeShareGpt(records),
  },
  'sharegpt-openai-roles': {
    description: 'ShareGPT with the roles user and assistant',
    fileName: 'trajectory_samples.jsonl',
    write: (records) => writeShareGpt(records, { roles: 'openai' }),
  },
  trl: {
    description: 'TRL conversational or preference rows',
    fileName: 'trl.jsonl',
    write: (records) => writeTrl(records, { tools: 'text' }),
  },
};

/**
 * The formats that rows can be read from, by name. `groups` is what `env process` writes, `hermes-sessions` is what Hermes' `sessions export` writes,
 * `hermes-database` its session database.
 */
export const IMPORT_FORMATS = [
  'groups',
  'hermes-database',
  'hermes-sessions',
  'jsonl',
  'openai',
  'parquet',
  'sharegpt',
  'trl',
] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Reads a file in a format of `IMPORT_FORMATS`, row by row, with what is wrong in it. */
export async function* readFormat(path: string, format: ImportFormat): AsyncGenerator<ReadResult> {
  if (format === 'parquet') {
    const bytes = await readFile(path);
    yield* readParquet(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return;
  }
  if (format === 'hermes-database') {
    yield* readHermesDatabase({ path });
    return;
  }
  const source = createReadStream(path) as AsyncIterable<Uint8Array>;
  const readers = {
    groups: readGroups,
    'hermes-sessions': readHermesSessions,
    jsonl: readJsonl,
    openai: readOpenAi,
    sharegpt: readShareGpt,
    trl: readTrl,
  };
  yield* readers[format](source);
}

/** Bytes in which the first line shows its fields. */
const BEGINNING_BYTES = 65_536;

/** The format of a file, by its name and its beginning; undefined when they do not tell. */
export async function guessFormat(path: string): Promise<ImportFormat | undefined> {
  if (extname(path) === '.parquet') return 'parquet';
  // Compressed files show nothing of their rows; Hermes compresses ShareGPT.
  if (extname(path) === '.gz') return 'sharegpt';
  const handle = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    const line = buffer.toString('utf8', 0, bytesRead);
    if (line.startsWith('PAR1')) return 'parquet';
    if (line.startsWith('SQLite format 3')) return 'hermes-database';
    // Each of the fourteen names of a group is in its line; the tokens are the first, and may fill the beginning alone.
    if (/^\s*\{\s*"tokens"\s*:\s*\[\s*\[/.test(line)) return 'groups';
    if (/"conversations"\s*:/.test(line)) return 'sharegpt';
    if (/"kind"\s*:\s*"(?:conversation|preference)"/.test(line)) return 'jsonl';
    if (/"preferred_output"\s*:/.test(line)) return 'openai';
    if (/"(?:chosen|completion)"\s*:/.test(line)) return 'trl';
    // A session has an id and a beginning beside its messages.
    if (/"messages"\s*:/.test(line)) return /"started_at"\s*:/.test(line) ? 'hermes-sessions' : 'openai';
  } finally {
    await handle.close();
  }
  return undefined;
}
