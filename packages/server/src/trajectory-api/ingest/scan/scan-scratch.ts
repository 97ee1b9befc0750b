import { createFloatColumn, createIntColumn, createLengthColumn, resetIntColumn } from './number-columns.ts';
import type { FloatColumn, IntColumn, LengthColumn } from './number-columns.ts';

/** Buffers that are filled anew for every group, so that ingest allocates little and a worker's memory stays flat. */
export interface ScanScratch {
  ints: IntColumn[];
  floats: FloatColumn[];
  lengths: LengthColumn[];
  /** The text being scanned, with the zero bytes that end it. */
  input: Uint8Array;
  /** What scans write their text to. */
  output: Uint8Array;
  /** Where the text of one group is put together in wire order. */
  canonical: Uint8Array;
  /** Where that text is compressed to. */
  deflated: Uint8Array<ArrayBuffer>;
}

/** Groups of 16 × 8k tokens use about 20 MiB and are rare; what is kept should serve the common 16 × 1k. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

const FIELD_COUNT = 14;

export function createScanScratch(): ScanScratch {
  return {
    ints: Array.from({ length: FIELD_COUNT }, createIntColumn),
    floats: Array.from({ length: FIELD_COUNT }, createFloatColumn),
    lengths: Array.from({ length: FIELD_COUNT * 2 }, createLengthColumn),
    input: new Uint8Array(0),
    output: new Uint8Array(0),
    canonical: new Uint8Array(0),
    deflated: new Uint8Array(0),
  };
}

/** Empties the columns of one field: a key that comes twice counts once. */
export function resetField(scratch: ScanScratch, field: number): void {
  resetIntColumn(scratch.ints[field]!);
  scratch.floats[field]!.count = 0;
  scratch.lengths[2 * field]!.count = 0;
  scratch.lengths[2 * field + 1]!.count = 0;
}

/** Drops everything when a large job has made it big; to be called between jobs. */
export function trimScratch(scratch: ScanScratch): void {
  const { input, output, canonical, deflated } = scratch;
  let bytes = input.byteLength + output.byteLength + canonical.byteLength + deflated.byteLength;
  for (const { values } of [...scratch.ints, ...scratch.floats, ...scratch.lengths]) bytes += values.byteLength;
  if (bytes > MAX_KEPT_BYTES) Object.assign(scratch, createScanScratch());
}
