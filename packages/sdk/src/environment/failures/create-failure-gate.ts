import type { Outcome } from '../outcome.ts';

/** When a run pauses. */
export interface FailureLimits {
  /** So many failures without a success between them. */
  readonly inARow: number;
  /** This share of the rollouts of the window. */
  readonly share: number;
  readonly windowMs: number;
  /** A share of fewer rollouts than this says nothing. */
  readonly leastRollouts: number;
}

export const FAILURE_LIMITS: FailureLimits = Object.freeze({
  inARow: 10,
  share: 0.2,
  windowMs: 300_000,
  leastRollouts: 50,
});

export interface FailureGate {
  record(outcome: Outcome): void;
  /** Why the run should pause; undefined when it should not. */
  readonly reason: string | undefined;
  /** After a pause that ended well: what was before is forgotten. */
  reset(): void;
}

/** Watches outcomes. An abstention is neither a failure nor a success: nothing broke, and nothing was shown to work. */
export function createFailureGate({
  now,
  limits = FAILURE_LIMITS,
}: {
  now: () => number;
  limits?: FailureLimits;
}): FailureGate {
  let inARow = 0;
  let recent: { at: number; hasFailed: boolean }[] = [];
  /** Where the window begins in `recent`; what is before it is cut off in one piece now and then. */
  let start = 0;
  let failures = 0;
  let reason: string | undefined;

  function forgetOld(): void {
    const oldest = now() - limits.windowMs;
    for (; start < recent.length && recent[start]!.at < oldest; start += 1) {
      if (recent[start]!.hasFailed) failures -= 1;
    }
    if (start * 2 <= recent.length) return;
    recent = recent.slice(start);
    start = 0;
  }

  return {
    record(outcome) {
      if (outcome.kind === 'abstained') return;
      const hasFailed = outcome.kind === 'failed';
      recent.push({ at: now(), hasFailed });
      if (hasFailed) failures += 1;
      inARow = hasFailed ? inARow + 1 : 0;
      forgetOld();
      if (!hasFailed || reason !== undefined) return;
      const last = `the last: ${outcome.failure}, ${outcome.reason}`;
      if (inARow >= limits.inARow) reason = `${inARow} rollouts in a row failed; ${last}`;
      const count = recent.length - start;
      if (reason === undefined && count >= limits.leastRollouts && failures >= limits.share * count) {
        const minutes = limits.windowMs / 60_000;
        reason = `${failures} of ${count} rollouts of the last ${minutes} minutes failed; ${last}`;
      }
    },
    get reason() {
      return reason;
    },
    reset() {
      inARow = 0;
      failures = 0;
      recent = [];
      start = 0;
      reason = undefined;
    },
  };
}
