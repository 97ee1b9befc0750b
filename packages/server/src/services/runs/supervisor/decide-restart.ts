import { REFUSED_EXIT_CODE } from '../../../http/settings/setting-error.ts';

const WINDOW_MS = 10 * 60_000;
const MOST_DEATHS = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export type RestartDecision =
  | { kind: 'restart'; deaths: number[]; startAfter: number }
  | { kind: 'give-up'; deaths: number[] };

export interface Death {
  /** When it died before, and now; milliseconds of one clock. */
  deaths: readonly number[];
  now: number;
  /** Its exit code; null after a signal, or when nobody saw it end. */
  code?: number | null;
  /** The pause after the first death; it doubles with each. */
  firstPauseMs?: number;
  /** Deaths within this time count together. */
  windowMs?: number;
}

/**
 * What follows a death: another start after a pause that doubles, or none because it dies again and again, or because it
 * says itself that nothing would change.
 */
export function decideRestart(death: Death): RestartDecision {
  const { deaths, now, code = null, firstPauseMs = FIRST_PAUSE_MS, windowMs = WINDOW_MS } = death;
  const counted = [...deaths.filter((at) => at > now - windowMs), now];
  if (code === REFUSED_EXIT_CODE || counted.length >= MOST_DEATHS) return { kind: 'give-up', deaths: counted };
  const pauseMs = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** (counted.length - 1));
  return { kind: 'restart', deaths: counted, startAfter: now + pauseMs };
}
