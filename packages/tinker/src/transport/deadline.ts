import { TinkerAbandonedError, TinkerTimeoutError } from '../errors/client-errors.ts';
import type { TimeoutFacts } from '../errors/client-errors.ts';
import type { Clock } from '@lachesis/protocol';

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
  /** Throws, for a caller that waited until the end in vain. A timer may fire a moment early, so the time is not asked. */
  fail(facts: Omit<TimeoutFacts, 'timeoutMs'>): never;
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
  const fail: Deadline['fail'] = (facts) => {
    if (signal?.aborted === true) throw new TinkerAbandonedError({ ...facts, cause: signal.reason });
    throw new TinkerTimeoutError({ ...facts, timeoutMs });
  };
  const check: Deadline['check'] = (facts) => {
    if (signal?.aborted === true || remainingMs() <= 0) fail(facts);
  };
  return {
    timeoutMs,
    signal,
    remainingMs,
    check,
    fail,
    async sleep(ms, facts) {
      const isLast = ms >= remainingMs();
      await clock.sleep(Math.min(ms, remainingMs()), signal);
      check(facts);
      if (isLast) fail(facts);
    },
  };
}
