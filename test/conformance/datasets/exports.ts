import {
  writeHubFolder,
  writeJsonl,
  writeOpenAi,
  writeParquet,
  writePieces,
  writeShareGpt,
  writeTrl,
} from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One export on disk, and what a reader has to find in it. */
export interface Export {
  readonly name: string;
  readonly kind: 'json' | 'parquet' | 'hub' | 'parquet-with-structs';
  readonly path: string;
  /** The page with the reader, for Parquet. */
  readonly card?: string;
  readonly expected: readonly unknown[];
}

type Pieces = AsyncIterable<string | Uint8Array>;

/** Our writers, replaceable by a test that wants to see a fault found. */
export const textWriters: Readonly<Record<string, (records: DataRecord[]) => Pieces>> = {
  jsonl: (records) => writeJsonl(records),
  openai: (records) => writeOpenAi(records),
  'openai fine-tuning': (records) => writeOpenAi(records, { shape: 'fine-tuning' }),
  sharegpt: (records) => writeShareGpt(records),
  'sharegpt with roles of openai': (records) => writeShareGpt(records, { roles: 'openai' }),
  trl: (records) => writeTrl(records, { tools: 'text' }),
  'trl with tools as lists': (records) => writeTrl(records),
  'trl prompt-completion': (records) => writeTrl(records, { shape: 'prompt-completion', tools: 'text' }),
};

/** Formats that hold pairs. */
const PAIR_FORMATS = ['jsonl', 'openai', 'trl'];

/** Writes every export of conversations and pairs into a folder. */
export async function writeExports(options: {
  folder: string;
  conversations: DataRecord[];
  /** The conversations as lines of JSON are to have them. */
  conversationsInLines: DataRecord[];
  pairs: DataRecord[];
}): Promise<Export[]> {
  const { folder, conversations, conversationsInLines, pairs } = options;
  const exports: Export[] = [];
  for (const [kind, records] of [
    ['conversations', conversations],
    ['pairs', pairs],
  ] as const) {
    for (const [format, write] of Object.entries(textWriters)) {
      if (kind === 'pairs' && !PAIR_FORMATS.includes(format)) continue;
      const path = join(folder, `${kind}-${format.replaceAll(' ', '-')}.jsonl`);
      await writePieces(path, write(kind === 'pairs' ? records : conversationsInLines));
      exports.push({ name: `${format}, ${kind}`, kind: 'json', path, expected: await readLines(path) });
    }
    const hub = join(folder, `${kind}-hub`);
    await writeHubFolder({ directory: hub, name: kind, records, rowsPerFile: 700 });
    const card = join(hub, 'README.md');
    // Files of a hub folder are by split.
    const bySplit = ['train', 'test'].flatMap((split) => records.filter((record) => record.split === split));
    exports.push({ name: `hub folder, ${kind}`, kind: 'hub', path: hub, card, expected: bySplit.map(toReadRow) });
    const path = join(folder, `${kind}.parquet`);
    await writePieces(path, writeParquet(records));
    exports.push({ name: `parquet, ${kind}`, kind: 'parquet', path, card, expected: records.map(toReadRow) });
  }
  return exports;
}

/** A record as the reader on the card gives it: the columns, with what is JSON text there still text. */
export function toReadRow(record: DataRecord): unknown {
  const { kind: _kind, extra, ...rest } = record;
  if (record.kind === 'preference') return { ...rest, extra: JSON.stringify(extra) };
  const { tokens, ...columns } = rest as Omit<Extract<DataRecord, { kind: 'conversation' }>, 'kind' | 'extra'>;
  return {
    ...columns,
    extra: JSON.stringify(extra),
    token_ids: tokens?.token_ids ?? null,
    mask: tokens?.mask ?? null,
    logprobs: tokens?.logprobs ?? null,
  };
}

async function readLines(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => dropNulls(JSON.parse(line)));
}

/** As lines of JSON are read: null says the same as nothing. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, dropNulls(item)]])),
  );
}
