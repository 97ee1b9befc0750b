import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupDamagedError } from '../../errors/backup-errors.ts';
import type { BackupTable } from './backup-manifest.ts';

/** A row of any table. */
export type BackupRow = Record<string, unknown>;

export const rowsPath = (folder: string, table: string): string => join(folder, 'rows', `${table}.jsonl.gz`);

/** Writes the rows of a table, a line of JSON for each, and says what was written. */
export async function writeRows(options: {
  folder: string;
  table: string;
  rows: AsyncIterable<BackupRow> | Iterable<BackupRow>;
}): Promise<BackupTable> {
  const { folder, table } = options;
  let rows = 0;
  const sha256 = createHash('sha256');
  async function* toLines(): AsyncIterable<string> {
    for await (const row of options.rows) {
      rows += 1;
      yield `${JSON.stringify(row, encodeBytes)}\n`;
    }
  }
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sha256.update(chunk);
      done(null, chunk);
    },
  });
  const file = createWriteStream(rowsPath(folder, table), { mode: 0o600, flush: true });
  await pipeline(Readable.from(toLines()), createGzip({ level: 1 }), counted, file);
  return { name: table, rows, sha256: sha256.digest('hex') };
}

/**
 * The rows of a table as they were written. What is wrong with the file is thrown at its end at the latest, so nobody may count
 * on rows before that.
 */
export async function* readRows(folder: string, table: BackupTable): AsyncIterable<BackupRow> {
  const path = rowsPath(folder, table.name);
  const sha256 = createHash('sha256');
  const file = createReadStream(path);
  file.on('data', (chunk) => sha256.update(chunk));
  let rows = 0;
  try {
    const unpacked = file.pipe(createGunzip());
    file.on('error', (error) => unpacked.destroy(error));
    // Not `readline`: it waits for ever for what was damaged.
    for await (const line of splitLines(unpacked.setEncoding('utf8') as AsyncIterable<string>)) {
      rows += 1;
      yield JSON.parse(line, decodeBytes) as BackupRow;
    }
  } catch (error) {
    throw new BackupDamagedError({
      path,
      reason: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
  if (sha256.digest('hex') !== table.sha256)
    throw new BackupDamagedError({ path, reason: 'it is not as it was written' });
  if (rows !== table.rows)
    throw new BackupDamagedError({ path, reason: `it has ${rows} rows and should have ${table.rows}` });
}

async function* splitLines(texts: AsyncIterable<string>): AsyncIterable<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Columns are text, numbers, bytes or null: an object can only be bytes. */
function encodeBytes(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  return original instanceof Uint8Array ? { base64: Buffer.from(original).toString('base64') } : value;
}

function decodeBytes(key: string, value: unknown): unknown {
  if (key === '' || typeof value !== 'object' || value === null) return value;
  return Buffer.from((value as { base64: string }).base64, 'base64');
}
