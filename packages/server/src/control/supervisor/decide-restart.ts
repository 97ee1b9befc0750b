/** Deaths within this time count together. */
const WINDOW_MS = 10 * 60_000;
const MOST_DEATHS = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export type RestartDecision =
  | { kind: 'restart'; deaths: number[]; startAfter: number }
  | { kind: 'give-up'; deaths: number[] };

/** What follows a death: another start after a pause that doubles, or none because it dies again and again. */
export function decideRestart({ deaths, now }: { deaths: readonly number[]; now: number }): RestartDecision {
  const counted = [...deaths.filter((at) => at > now - WINDOW_MS), now];
  if (counted.length >= MOST_DEATHS) return { kind: 'give-up', deaths: counted };
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (counted.length - 1));
  return { kind: 'restart', deaths: counted, startAfter: now + pauseMs };
}
