import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DataRecord } from '@lachesis/protocol';

/** Rows kept in one blob: enough to compress well, few enough to read one split without the rest. */
export const CHUNK_ROWS = 500;
/** A chunk of long rows ends before it. */
export const CHUNK_CHARACTERS = 4_000_000;

/** One line a row; an empty line is a row whose text was forgotten. */
export function packChunk(lines: readonly string[]): Uint8Array {
  return zstdCompressSync(lines.join('\n'));
}

export function unpackChunk(bytes: Uint8Array): string[] {
  return zstdDecompressSync(bytes).toString('utf8').split('\n');
}

export function formatRow(record: DataRecord): string {
  return JSON.stringify(record);
}
