import { readTarHeader, TAR_BLOCK_BYTES } from '@lachesis/protocol/codec';
import { createByteReader } from './merge/byte-reader.ts';
import type { ByteReader } from './merge/byte-reader.ts';
import { WeightsError } from './weights-error.ts';

type TarHeader = NonNullable<ReturnType<typeof readTarHeader>>;

export interface TarLimits {
  /** Files and directories. Guards against archives of millions of empty entries. */
  readonly entries: number;
  /** Everything after decompression, padding included. Guards against compression bombs. */
  readonly totalBytes: number;
}

/** Takes the contents of one file. */
export interface FileSink {
  write(piece: Uint8Array): Promise<void>;
  /** Called once, after the last byte. */
  end(): Promise<void>;
}

export interface ReadTarOptions {
  chunks: AsyncIterable<Uint8Array>;
  limits: TarLimits;
  /** Called for each file with its checked name, such as `adapter/adapter_config.json`. Undefined passes over it. */
  openFile(file: { name: string; size: number }): Promise<FileSink | undefined>;
}

/** Names and extended headers longer than this are no checkpoint's. */
const MAX_EXTENSION_BYTES = 64 * 1024;
const MAX_NAME_LENGTH = 512;

/** Reads an archive to its end, and stops at the first thing that is not a plain file or directory inside of it. */
export async function readTar({ chunks, limits, openFile }: ReadTarOptions): Promise<void> {
  const reader = createByteReader(limited(chunks, limits.totalBytes));
  const seen = new Set<string>();
  for (let entries = 0; ; entries += 1) {
    const entry = await readEntry(reader);
    if (entry === undefined) break;
    if (entries >= limits.entries) {
      throw new WeightsError({ reason: 'too-large', message: `The archive has more than ${limits.entries} entries.` });
    }
    const name = checkEntryName(entry.name, { isDirectory: entry.type === '5' });
    if (entry.type === '5') {
      await skip(reader, padded(entry.size));
      continue;
    }
    if (seen.has(name)) throw unsafe('holds the same file twice');
    seen.add(name);
    const sink = await openFile({ name, size: entry.size });
    const complete = await reader.pass(entry.size, (piece) => sink?.write(piece));
    if (!complete) throw broken('ends inside a file');
    await sink?.end();
    await skip(reader, padded(entry.size) - entry.size);
  }
  // To the very end, so that the decompressor checks its checksum over all of it.
  await reader.pass(Number.POSITIVE_INFINITY, () => {});
}

/** The next file or directory, with what the extended headers before it say. */
async function readEntry(reader: ByteReader): Promise<TarHeader | undefined> {
  let name: string | undefined;
  let size: number | undefined;
  for (;;) {
    const block = await reader.read(TAR_BLOCK_BYTES);
    if (block === undefined) throw broken('ends before its end mark');
    const header = readHeader(block);
    if (header === undefined) return undefined;
    if (header.type === '0' || header.type === '5')
      return { ...header, name: name ?? header.name, size: size ?? header.size };
    if (header.type !== 'x' && header.type !== 'g' && header.type !== 'L') {
      throw unsafe('holds a link, a device or another thing that is not a plain file');
    }
    if (header.size > MAX_EXTENSION_BYTES) throw unsafe('has an extended header of unusual size');
    const body = await reader.read(padded(header.size));
    if (body === undefined) throw broken('ends inside a header');
    if (header.type === 'L') {
      name = decode(body.subarray(0, header.size)).split('\0', 1)[0];
      continue;
    }
    const records = readPaxRecords(body.subarray(0, header.size));
    if ([...records.keys()].some((key) => key.startsWith('GNU.sparse'))) throw unsafe('holds a sparse file');
    if (header.type === 'g') {
      if (records.has('path') || records.has('size')) throw unsafe('gives one name or size to all its files');
      continue;
    }
    name = records.get('path') ?? name;
    size = readSize(records.get('size')) ?? size;
  }
}

function readHeader(block: Uint8Array): TarHeader | undefined {
  try {
    return readTarHeader(block, decode);
  } catch (error) {
    throw error instanceof SyntaxError ? broken(error.message) : error;
  }
}

/** Reads `LENGTH KEY=VALUE\n` records. */
function readPaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const space = bytes.indexOf(32, at);
    const digits = space === -1 ? '' : decode(bytes.subarray(at, space));
    const length = /^[1-9]\d{0,6}$/.test(digits) ? Number(digits) : 0;
    const record = decode(bytes.subarray(space + 1, at + length));
    const equals = record.indexOf('=');
    if (length === 0 || at + length > bytes.length || equals < 1 || !record.endsWith('\n')) {
      throw broken('has an extended header that cannot be read');
    }
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    at += length;
  }
  return records;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw broken('has a name that is not UTF-8', cause);
  }
}

function readSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw broken('has a size that is not a number');
  return size;
}

/** The name relative to the archive's root, or an error for one that leads out of it or means something else elsewhere. */
export function checkEntryName(name: string, { isDirectory }: { isDirectory: boolean }): string {
  // Python's tarfile writes the root directory as `/` when it is added with an empty name.
  const trimmed = isDirectory ? name.replace(/\/+$/, '') : name;
  if (isDirectory && (trimmed === '' || trimmed === '.')) return '';
  const segments = trimmed.replace(/^(?:\.\/)+/, '').split('/');
  const isPlain = (segment: string) => segment !== '' && segment !== '.' && segment !== '..';
  // eslint-disable-next-line no-control-regex -- Control characters in a name are what this looks for.
  if (name.length > MAX_NAME_LENGTH || /[\\:\u0000-\u001F]/.test(name) || !segments.every(isPlain)) {
    throw unsafe('has a name that leads out of it or is no plain path');
  }
  return segments.join('/');
}

async function* limited(chunks: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.byteLength;
    if (total > most) {
      throw new WeightsError({ reason: 'too-large', message: `The archive unpacks to more than ${most} bytes.` });
    }
    yield chunk;
  }
}

async function skip(reader: ByteReader, length: number): Promise<void> {
  if (!(await reader.pass(length, () => {}))) throw broken('ends inside a file');
}

const padded = (size: number): number => Math.ceil(size / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;

const unsafe = (what: string): WeightsError =>
  new WeightsError({ reason: 'unsafe-archive', message: `The archive ${what}; it was not unpacked.` });

export const broken = (what: string, cause?: unknown): WeightsError =>
  new WeightsError({ reason: 'broken-archive', message: `The archive ${what}.`, cause });
