import { performance } from 'node:perf_hooks';

/** A point in monotonic time by which a call must have ended. */
export interface Deadline {
  /** The whole time given. */
  readonly ms: number;
  remainingMs(): number;
}

export function startDeadline(ms: number, now: () => number = () => performance.now()): Deadline {
  const end = now() + ms;
  return { ms, remainingMs: () => Math.max(0, end - now()) };
}
