import { open } from 'node:fs/promises';

import { isRecord } from '@lachesis/protocol';
import { WeightsError } from '../weights-error.ts';

/** Where one tensor stands in its file. */
export interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** From the start of the file. */
  readonly byteOffset: number;
  readonly byteLength: number;
}

export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Where the first tensor begins. */
  readonly dataOffset: number;
}

/** The bound of the format itself: a header is read into memory as a whole. */
const MAX_HEADER_BYTES = 100_000_000;

/** The length of the header, before it. */
const PREFIX_BYTES = 8;

const BITS_PER_ELEMENT: Readonly<Record<string, number>> = Object.freeze({
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E4M3: 8,
  F8_E5M2: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
});

/** Reads and checks the header of a safetensors file. The tensors themselves are not read. */
export async function readSafetensorsHeader(file: string): Promise<SafetensorsHeader> {
  await using handle = await open(file, 'r');
  const { size } = await handle.stat();
  const read = async (length: number, position: number) => {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, position);
    if (bytesRead !== length) throw bad(`ends after ${position + bytesRead} bytes`);
    return bytes;
  };
  const headerBytes = readHeaderLength(await read(PREFIX_BYTES, 0), size);
  return parseSafetensorsHeader({ header: await read(headerBytes, PREFIX_BYTES), fileBytes: size });
}

/** The length the first eight bytes give, when the file can hold it. */
export function readHeaderLength(prefix: Uint8Array, fileBytes: number): number {
  const length = new DataView(prefix.buffer, prefix.byteOffset, PREFIX_BYTES).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES) || length > BigInt(fileBytes - PREFIX_BYTES) || length < 2n) {
    throw bad(`says its header has ${length} bytes, in a file of ${fileBytes}`);
  }
  return Number(length);
}

/** Checks a header against the size of its file: known types, right sizes, and no byte unused or used twice. */
export function parseSafetensorsHeader({
  header,
  fileBytes,
}: {
  header: Uint8Array;
  fileBytes: number;
}): SafetensorsHeader {
  const dataOffset = PREFIX_BYTES + header.byteLength;
  const dataBytes = fileBytes - dataOffset;
  const tensors = new Map<string, TensorEntry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseObject(header))) {
    if (name === '__metadata__') metadata = readMetadata(value);
    else tensors.set(name, readEntry({ name, value, dataOffset }));
  }
  let end = 0;
  // An empty tensor may share its offset with the next one, so the shorter goes first.
  const inOrder = [...tensors.values()].sort((a, b) => a.byteOffset - b.byteOffset || a.byteLength - b.byteLength);
  for (const { byteOffset, byteLength } of inOrder) {
    if (byteOffset - dataOffset !== end) throw bad('has tensors that overlap or leave a hole');
    end += byteLength;
  }
  if (end !== dataBytes) throw bad(`has ${dataBytes} bytes of tensors where its header names ${end}`);
  return { tensors, metadata, dataOffset };
}

function parseObject(header: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header));
  } catch (cause) {
    throw bad('has a header that is not JSON', cause);
  }
  if (!isRecord(value)) throw bad('has a header that is not an object');
  return value;
}

function readMetadata(value: unknown): Record<string, string> {
  if (isRecord(value) && Object.values(value).every((text) => typeof text === 'string')) {
    return value as Record<string, string>;
  }
  throw bad('has metadata that is not text');
}

function readEntry({ name, value, dataOffset }: { name: string; value: unknown; dataOffset: number }): TensorEntry {
  const label = `tensor ${JSON.stringify(name.slice(0, 200))}`;
  if (!isRecord(value)) throw bad(`has ${label} without a description`);
  const { dtype, shape, data_offsets: offsets } = value;
  const bits =
    typeof dtype === 'string' && Object.hasOwn(BITS_PER_ELEMENT, dtype) ? BITS_PER_ELEMENT[dtype] : undefined;
  if (bits === undefined) throw bad(`has ${label} of an unknown type`);
  if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2) throw bad(`has ${label} without shape or place`);
  const [begin, end] = offsets as [number, number];
  // In whole numbers of any size: a product of sizes can pass 2^53 and come out right by rounding.
  const wantedBytes = (shape.reduce((product, size) => product * BigInt(size), 1n) * BigInt(bits)) / 8n;
  if (end < begin || wantedBytes !== BigInt(end - begin)) {
    throw bad(`has ${label} whose shape does not fit its ${end - begin} bytes`);
  }
  return { dtype: dtype as string, shape, byteOffset: dataOffset + begin, byteLength: end - begin };
}

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length <= 16 && value.every((size) => Number.isSafeInteger(size) && size >= 0);

const bad = (what: string, cause?: unknown): WeightsError =>
  new WeightsError({ reason: 'bad-safetensors', message: `The safetensors file ${what}.`, cause });
