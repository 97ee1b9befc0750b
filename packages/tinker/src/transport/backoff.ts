import type { ReplyHeaders } from './reply.ts';

/** How long to wait before attempt n + 1. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

export const REQUEST_BACKOFF: Backoff = Object.freeze({ firstMs: 500, maxMs: 10_000 });

/** Polls wait longer: the job goes on without them. */
export const POLL_BACKOFF: Backoff = Object.freeze({ firstMs: 500, maxMs: 30_000 });

/** Doubles from attempt to attempt. The jitter takes up to half, so that clients cut off together come back apart. */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random: () => number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30)) * (1 - 0.5 * random());
}

/** A longer wait than this is not a hint for one call; the caller's own back-off decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/** What the server asks for in `retry-after-ms` or `retry-after`. */
export function readRetryAfterMs(headers: ReplyHeaders, wallClock: () => number): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (isUsable(milliseconds)) return milliseconds;
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number(text) * 1000;
  if (isUsable(seconds)) return seconds;
  const until = Date.parse(text) - wallClock();
  return isUsable(until) ? until : undefined;
}

const isUsable = (ms: number): boolean => Number.isFinite(ms) && ms > 0 && ms <= MAX_RETRY_AFTER_MS;
