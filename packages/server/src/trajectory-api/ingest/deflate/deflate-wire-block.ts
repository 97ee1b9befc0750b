import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { WireBlock } from '@lachesis/protocol/codec';
import { deflateLiterals } from './deflate-literals.ts';
import type { ScanScratch } from '../scan/scan-scratch.ts';

export interface DeflateOptions {
  /** Whether repeated strings are worth their CPU; see `chooseMatching`. */
  looksForMatches?: boolean;
  /** Holds the result until the next call with it. */
  scratch?: Pick<ScanScratch, 'deflated'>;
}

/**
 * Compresses a group's canonical text into a block that can stand between others in one deflate stream: it refers to
 * nothing before itself and ends byte-aligned after a full flush, without a final block. What was measured on the text of
 * 16 × 1024 sampled tokens and logprobs (446 kB):
 *
 * | way                  | CPU     | bytes   | against level 1 |
 * |----------------------|---------|---------|-----------------|
 * | zlib level 0         | 0.1 ms  | 445,549 | 2.28            |
 * | zlib level 1         | 5.9 ms  | 195,491 | 1.00            |
 * | zlib level 6         | 17.3 ms | 187,551 | 0.96            |
 * | zlib Z_RLE           | 3.2 ms  | 203,738 | 1.04            |
 * | zlib Z_HUFFMAN_ONLY  | 2.7 ms  | 203,776 | 1.04            |
 * | zlib Z_FIXED         | 5.9 ms  | 273,839 | 1.40            |
 * | `deflateLiterals`    | 1.5 ms  | 204,104 | 1.04            |
 */
export function deflateWireBlock(canonical: Uint8Array, options: DeflateOptions = {}): WireBlock {
  const { looksForMatches = true, scratch } = options;
  const deflated = looksForMatches ? deflateWithMatches(canonical) : deflateLiterals(canonical, scratch);
  return { deflated, crc32: crc32(canonical), inflatedBytes: canonical.length };
}

function deflateWithMatches(canonical: Uint8Array): Uint8Array {
  return deflateRawSync(canonical, {
    level: 1,
    finishFlush: constants.Z_FULL_FLUSH,
    // One piece of output: zlib's default of 16 KiB would make a dozen.
    chunkSize: Math.max(1024, Math.ceil(canonical.length * 0.55)),
  });
}
