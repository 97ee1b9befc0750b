import { constants, gunzipSync } from 'node:zlib';
import type { IngestLimits } from './ingest-limits.ts';
import { BodyRefusedError, refuseTooLarge } from './issues.ts';

/** The largest piece of output asked for at once; it is also how far inflation may run past a limit. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
const MIN_CHUNK_BYTES = 64 * 1024;

/** Data inflates 2 to 6 times; what goes past this is looked at more closely before it may go to the full ratio. */
const USUAL_RATIO = 8;

/** How much of the body the closer look inflates. */
const SAMPLE_SHARE = 1 / 32;

/** The part of `gunzipSync` that is used. */
export type Gunzip = (
  body: Uint8Array,
  options: { maxOutputLength: number; chunkSize: number; finishFlush: number },
) => Uint8Array;

/**
 * Inflates a gzip body of one or more members, never to more than the limits allow (plus one chunk). A body that passes
 * eight times its size is sampled: if its first thirty-second is already beyond the ratio, it is refused there, so a 1,000:1
 * bomb of 1 MB costs 20 MB of inflation at most instead of 100.
 */
export function inflateBody(
  body: Uint8Array,
  limits: IngestLimits,
  { gunzip = gunzipSync }: { gunzip?: Gunzip } = {},
): Uint8Array {
  const { ratioFloorBytes, inflationRatio } = limits;
  const ceiling = (ratio: number, wireBytes: number): number =>
    Math.min(limits.inflatedBytes, Math.max(ratioFloorBytes, Math.floor(ratio * wireBytes)));

  const usual = ceiling(USUAL_RATIO, body.length);
  const inflated = inflateUpTo(gunzip, body, usual);
  if (inflated !== null) return inflated;

  const allowed = ceiling(inflationRatio, body.length);
  if (allowed > usual) {
    const sample = body.subarray(0, Math.ceil(body.length * SAMPLE_SHARE));
    const isSampleFine =
      inflateUpTo(gunzip, sample, ceiling(inflationRatio, sample.length), constants.Z_SYNC_FLUSH) !== null;
    const whole = isSampleFine ? inflateUpTo(gunzip, body, allowed) : null;
    if (whole !== null) return whole;
  }
  throw refuseTooLarge(
    `The body inflates beyond ${limits.inflatedBytes} bytes or ${inflationRatio} times its compressed size`,
  );
}

/** Null when there is more than `maxOutputLength`. */
function inflateUpTo(
  gunzip: Gunzip,
  body: Uint8Array,
  maxOutputLength: number,
  finishFlush: number = constants.Z_FINISH,
): Uint8Array | null {
  try {
    const chunkSize = chooseChunkSize(body, maxOutputLength);
    return gunzip(body, { maxOutputLength, chunkSize, finishFlush });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') return null;
    if (code?.startsWith('Z_')) {
      throw new BodyRefusedError({ kind: 'refused', status: 400, text: 'Invalid gzip payload' });
    }
    throw error;
  }
}

/**
 * Gzip ends with the size of its last member. Taken as a hint it lets the usual body inflate into one piece, with a byte
 * to spare for the scan's sentinel; a lie costs a chunk.
 */
function chooseChunkSize(body: Uint8Array, maxOutputLength: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = body.subarray(-4);
  const claimed = a + b * 0x100 + c * 0x1_0000 + d * 0x100_0000;
  return Math.max(MIN_CHUNK_BYTES, Math.min(claimed + 4096, maxOutputLength, MAX_CHUNK_BYTES));
}
