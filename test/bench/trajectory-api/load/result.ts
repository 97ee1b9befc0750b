import type { LatencySummary } from '../../../kit/quantiles.ts';
import type { LoadMode } from './options.ts';

/** What the generator measured in its window; times in seconds or milliseconds as named, sizes in bytes. */
export interface LoadResult {
  readonly mode: LoadMode;
  readonly seconds: number;
  readonly acked: number;
  readonly ackedPerSecond: number;
  readonly delivered: number;
  /**
   * Groups received divided by the time from the start to the last reply. A slow server hands out two or three batches in a
   * short window; dividing by the whole window would make it look slower than it is.
   */
  readonly deliveredPerSecond: number;
  readonly duplicates: number;
  /** Groups received that were never sent; anything but zero is a broken server or a broken generator. */
  readonly strangers: number;
  readonly batches: number;
  /** Groups whose tokens, masks, scores and logprobs were compared with what was sent. */
  readonly compared: number;
  readonly failures: { readonly count: number; readonly first: string | undefined };
  readonly latencies: Readonly<Record<'post' | 'batch' | 'emptyBatch' | 'statusEnv', LatencySummary>>;
  readonly serverCpuSeconds: number;
  readonly serverCpuMsPerGroup: number;
  readonly generatorCores: number;
  readonly foreignCores: number;
  readonly rss: {
    readonly startBytes: number;
    readonly endBytes: number;
    readonly peakBytes: number;
    /** Memory beside the number of groups acknowledged, every half second. */
    readonly series: readonly { readonly acked: number; readonly bytes: number }[];
  };
  /** Increase of each of the server's counters; empty when it has none. */
  readonly counters: Readonly<Record<string, number>>;
}
