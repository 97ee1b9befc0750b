import { TinkerAbandonedError, TinkerTimeoutError } from '../errors/client-errors.ts';
import type { TimeoutFacts } from '../errors/client-errors.ts';
import type { Clock } from './clock.ts';

/** How long a caller waits, and the signal with which it stops waiting earlier. */
export interface WaitOptions {
  /** The longest the whole call may take. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A moment by which a call must have ended. */
export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  remainingMs(): number;
  /** Throws when the caller gave up or the time is over. */
  check(facts: Omit<TimeoutFacts, 'timeoutMs'>): void;
  /** Sleeps, but never past the end; then checks. */
  sleep(ms: number, facts: Omit<TimeoutFacts, 'timeoutMs'>): Promise<void>;
}

export function startDeadline({
  timeoutMs,
  signal,
  clock,
}: {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  clock: Clock;
}): Deadline {
  const end = clock.now() + timeoutMs;
  const remainingMs = (): number => Math.max(0, end - clock.now());
  const check: Deadline['check'] = (facts) => {
    if (signal?.aborted === true) throw new TinkerAbandonedError({ ...facts, cause: signal.reason });
    if (remainingMs() <= 0) throw new TinkerTimeoutError({ ...facts, timeoutMs });
  };
  return {
    timeoutMs,
    signal,
    remainingMs,
    check,
    async sleep(ms, facts) {
      await clock.sleep(Math.min(ms, remainingMs()), signal);
      check(facts);
    },
  };
}
