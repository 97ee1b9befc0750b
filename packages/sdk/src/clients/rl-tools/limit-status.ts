/** A run of days changes little in half an hour, and a model that asks more often pays for reading the same again. */
const LONG_INTERVAL_SECONDS = 30 * 60;
/** Runs estimated shorter are asked about twenty times. */
const SHORT_RUN_SECONDS = 2 * 60 * 60;
const CHECKS_OF_A_SHORT_RUN = 20;
const SHORTEST_INTERVAL_SECONDS = 10;
/** Before its first step nobody knows how long a run takes: it may be over in three minutes. */
const UNKNOWN_INTERVAL_SECONDS = 60;
/** Far more runs than one agent looks after; the longest unasked goes first. */
const REMEMBERED_RUNS = 1_000;

const FINAL = new Set(['stopped', 'completed', 'failed']);

export interface StatusFacts {
  runId: string;
  status: string;
  /** All that counts as a change of state, as text: what differs from the last answer is answered at once. */
  state: string;
  /** How long the whole run is expected to take. */
  estimatedSeconds?: number | undefined;
}

export interface StatusLimit {
  /** Whole seconds until the next answer, or undefined when this one is given. */
  admit(facts: StatusFacts): number | undefined;
}

/**
 * Decides which status checks are answered. It sees the run first and decides after: an unknown run or a server that is
 * away costs nothing, and a change is never held back.
 */
export function createStatusLimit({ now }: { now: () => number }): StatusLimit {
  const answered = new Map<string, { at: number; state: string }>();
  return {
    admit({ runId, status, state, estimatedSeconds }) {
      if (FINAL.has(status)) {
        answered.delete(runId);
        return undefined;
      }
      const last = answered.get(runId);
      const at = now();
      const left =
        last === undefined || last.state !== state ? 0 : last.at + intervalSeconds(estimatedSeconds) * 1000 - at;
      if (left > 0) return Math.ceil(left / 1000);
      answered.delete(runId);
      answered.set(runId, { at, state });
      const [oldest] = answered.keys();
      if (answered.size > REMEMBERED_RUNS && oldest !== undefined) answered.delete(oldest);
      return undefined;
    },
  };
}

/** How long the same state is not told twice. */
export function intervalSeconds(estimatedSeconds: number | undefined): number {
  if (estimatedSeconds === undefined) return UNKNOWN_INTERVAL_SECONDS;
  if (estimatedSeconds >= SHORT_RUN_SECONDS) return LONG_INTERVAL_SECONDS;
  return Math.max(SHORTEST_INTERVAL_SECONDS, estimatedSeconds / CHECKS_OF_A_SHORT_RUN);
}
