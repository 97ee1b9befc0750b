import type { LatencySummary } from '../../../kit/quantiles.ts';

/** What the bench tells the native generator, as JSON in its first argument. */
export interface NativeLoadOptions {
  readonly url: string;
  readonly serverPid: number;
  readonly ownRoots: readonly number[];
  readonly seconds: number;
  /** Groups per second between bursts. */
  readonly rate: number;
  readonly burst: Burst;
  readonly sequences: number;
  readonly tokens: number;
  /** Sequences in one batch. */
  readonly batchSize: number;
  /** How many environments the groups come from. */
  readonly environments: number;
}

/** Every so often the rate is a multiple of the usual one for a while. */
export interface Burst {
  readonly everySeconds: number;
  readonly lastsSeconds: number;
  readonly factor: number;
}

export interface NativeLoadResult {
  readonly seconds: number;
  readonly pushed: number;
  readonly trained: number;
  readonly batches: number;
  /** From the moment a push was due, so that a server that holds up the generator is charged for all it delays. */
  readonly push: LatencySummary;
  readonly fetch: LatencySummary;
  /** Times a push was told to come back later. */
  readonly deferred: number;
  readonly failures: { readonly count: number; readonly first: string | undefined };
  /** Times the trainer waited over a second for a lease while the ledger had a whole batch ready. */
  readonly starved: number;
  readonly longestWaitMs: number;
  readonly bytesPerGroup: number;
  readonly rssPeakBytes: number;
  readonly serverCpuMsPerGroup: number;
  readonly foreignCores: number;
  readonly generatorCores: number;
}
