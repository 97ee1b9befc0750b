import type { Recording } from '../server/recording.ts';

export interface SubmitOptions {
  readonly url: string;
  /** Passes before the timed ones: V8 compiles while it runs. Both sides make as many. */
  readonly warmPasses: number;
  readonly timedPasses: number;
  /** Sends one token other than the workload says, to see that it is noticed. */
  readonly changesOneToken?: boolean;
}

/** One pass as its client saw it; all times are on the machine's monotonic clock. */
export interface PassTimes {
  /** The client held arrays. */
  readonly startedNs: string;
  /** It held datums. */
  readonly readyNs: string;
  /** CPU time of the client from its arrays until it was told that the jobs had ended. */
  readonly cpuMs: number;
  readonly recorded: Recording['passes'];
}

export interface SubmitResult {
  readonly times: readonly PassTimes[];
  /** One more pass, of which the server kept the bytes. */
  readonly recorded: Recording['passes'];
}
