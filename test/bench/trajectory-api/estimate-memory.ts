import type { LoadResult } from './load/result.ts';

/** How many buffered groups the bar speaks of. */
export const FULL_DEPTH = 1500;
/** How many the original is given in the short form; its memory grows by the same amount with every group. */
export const SHORT_DEPTH = 400;

/** Where the slope starts: what a server allocates for its first requests is not growth per group. */
const WARM_GROUPS = 100;

/**
 * Memory at the full depth: as measured when the run got there; otherwise the last reading plus the slope of this run from
 * its warm start on. The slope is taken from the server's own growth, so a server that does not grow is not charged any.
 */
export function estimateMemory({ acked, rss }: Pick<LoadResult, 'acked' | 'rss'>): number {
  if (acked >= FULL_DEPTH) return rss.endBytes;
  const warm = rss.series.find((sample) => sample.acked >= WARM_GROUPS);
  if (warm === undefined || warm.acked >= acked) throw new Error('the run is too short to tell growth from warm-up');
  const bytesPerGroup = Math.max(0, (rss.endBytes - warm.bytes) / (acked - warm.acked));
  return rss.endBytes + bytesPerGroup * (FULL_DEPTH - acked);
}
