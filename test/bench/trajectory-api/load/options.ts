/**
 * How the generator loads a server:
 * - `steady`: environments push without pause while one trainer drains;
 * - `paced`: the same, but an environment pauses as BaseEnv does while too many batches wait;
 * - `ingest`: environments push, nobody drains;
 * - `fill`: environments push until a number of groups is acknowledged, nobody drains; memory is watched;
 * - `drain`: the same first, then one trainer drains and only that is timed.
 */
export type LoadMode = 'steady' | 'paced' | 'ingest' | 'fill' | 'drain';

/** What the bench tells the generator process, as JSON in its first argument. */
export interface LoadOptions {
  readonly mode: LoadMode;
  readonly url: string;
  /** Root of the server's process tree: memory and CPU of all of it are the server's. */
  readonly serverPid: number;
  /** Roots of every tree that belongs to the measurement; the rest of the machine is foreign. */
  readonly ownRoots: readonly number[];
  readonly environments: number;
  readonly sequences: number;
  readonly tokens: number;
  /** Sequences in one batch. */
  readonly batchSize: number;
  /** How many different bodies are sent in turn. */
  readonly templates: number;
  /** Length of the measured window; `fill` ends by `groups`, and `drain` when nothing is left if that is sooner. */
  readonly seconds: number;
  /** Where a trainer drains, the window stays open until it has this many batches, at most for `maxSeconds`. */
  readonly minBatches: number;
  readonly maxSeconds: number;
  /** Groups pushed and drained again before the window opens; whole batches of them. */
  readonly warmGroups: number;
  /** Groups to push in `fill` and `drain`. */
  readonly groups: number;
  /** Where to read the server's own counters before and after, when it has them. */
  readonly metricsUrl?: string;
}

/** BaseEnv asks ten times a second. */
export const STATUS_POLL_MS = 100;
/** How long the trainer waits after it was told there is no batch yet. */
export const TRAINER_POLL_MS = 50;
/** BaseEnv's `max_batches_offpolicy`: an environment stops making groups while this many batches wait. */
export const MAX_BATCHES_OFF_POLICY = 3;
