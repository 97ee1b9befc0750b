import { WeightsError } from './weights-error.ts';

/** Headers and contents are padded to blocks of this size. */
export const TAR_BLOCK_BYTES = 512;

export interface TarHeader {
  readonly name: string;
  readonly size: number;
  /** One character: `0` a file, `5` a directory, `x` and `g` extended headers, `L` a long name, the rest links and devices. */
  readonly type: string;
}

/** Reads one header block; undefined for the block of zeros that ends an archive. */
export function readTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const wanted = readNumber(block.subarray(148, 156));
  // The checksum counts its own field as spaces.
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== wanted) throw broken('has a header whose checksum is wrong');
  const prefix = readText(block.subarray(257, 263)) === 'ustar' ? readText(block.subarray(345, 500)) : '';
  const name = readText(block.subarray(0, 100));
  const type = block[156] === 0 ? '0' : String.fromCharCode(block[156]!);
  return { name: prefix === '' ? name : `${prefix}/${name}`, size: readNumber(block.subarray(124, 136)), type };
}

/** Reads `LENGTH KEY=VALUE\n` records. */
export function readPaxRecords(bytes: Uint8Array): Map<string, string> {
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

/** Text up to the first zero byte. */
export function readText(field: Uint8Array): string {
  const end = field.indexOf(0);
  return decode(end === -1 ? field : field.subarray(0, end));
}

/** Octal text, or, with the top bit set, a binary number as GNU tar writes it for sizes from 8 GiB. */
function readNumber(field: Uint8Array): number {
  if ((field[0]! & 0x80) !== 0) {
    const value = field.reduce((total, byte, at) => total * 256n + BigInt(at === 0 ? byte & 0x7f : byte), 0n);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken('has a size beyond any file');
    return Number(value);
  }
  const text = readText(field).trim();
  if (!/^[0-7]*$/.test(text)) throw broken('has a number that is not octal');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw broken('has a name that is not UTF-8', cause);
  }
}

export const broken = (what: string, cause?: unknown): WeightsError =>
  new WeightsError({ reason: 'broken-archive', message: `The archive ${what}.`, cause });
