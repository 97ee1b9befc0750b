import type { Datum } from '../codec/datum.ts';
import { measureDatumBytes } from '../codec/encode-forward-backward.ts';

export interface DatumChunk {
  datums: Datum[];
  bytes: number;
}

/** Splits a batch into requests a server accepts. A datum larger than the limit goes alone: only the server can refuse it. */
export function splitDatums(datums: readonly Datum[], limits: { maxDatums: number; maxBytes: number }): DatumChunk[] {
  const chunks: DatumChunk[] = [];
  let chunk: DatumChunk = { datums: [], bytes: 0 };
  for (const datum of datums) {
    const bytes = measureDatumBytes(datum);
    const isFull = chunk.datums.length >= limits.maxDatums || chunk.bytes + bytes > limits.maxBytes;
    if (isFull && chunk.datums.length > 0) {
      chunks.push(chunk);
      chunk = { datums: [], bytes: 0 };
    }
    chunk.datums.push(datum);
    chunk.bytes += bytes;
  }
  if (chunk.datums.length > 0) chunks.push(chunk);
  return chunks;
}
