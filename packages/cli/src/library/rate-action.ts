/** What a key means in the rate loop. */
export type RateAction =
  | { kind: 'thumb'; isUp: boolean }
  | { kind: 'stars'; stars: number }
  /** By so many lines, or so many pages. */
  | { kind: 'scroll'; lines: number; pages: number }
  | { kind: 'edit' | 'comment' | 'skip' | 'back' | 'quit' | 'whole' | 'help' };

const ACTIONS: Readonly<Record<string, RateAction>> = {
  u: { kind: 'thumb', isUp: true },
  '+': { kind: 'thumb', isUp: true },
  d: { kind: 'thumb', isUp: false },
  '-': { kind: 'thumb', isUp: false },
  1: { kind: 'stars', stars: 1 },
  2: { kind: 'stars', stars: 2 },
  3: { kind: 'stars', stars: 3 },
  4: { kind: 'stars', stars: 4 },
  5: { kind: 'stars', stars: 5 },
  e: { kind: 'edit' },
  c: { kind: 'comment' },
  s: { kind: 'skip' },
  ' ': { kind: 'skip' },
  '\u001B[C': { kind: 'skip' },
  b: { kind: 'back' },
  '\u001B[D': { kind: 'back' },
  k: { kind: 'scroll', lines: -1, pages: 0 },
  '\u001B[A': { kind: 'scroll', lines: -1, pages: 0 },
  j: { kind: 'scroll', lines: 1, pages: 0 },
  '\u001B[B': { kind: 'scroll', lines: 1, pages: 0 },
  '\u001B[5~': { kind: 'scroll', lines: 0, pages: -1 },
  '\u001B[6~': { kind: 'scroll', lines: 0, pages: 1 },
  v: { kind: 'whole' },
  '?': { kind: 'help' },
  h: { kind: 'help' },
  q: { kind: 'quit' },
  // Ctrl-C and Ctrl-D: a raw terminal gives them as letters.
  '\u0003': { kind: 'quit' },
  '\u0004': { kind: 'quit' },
};

export const RATE_KEYS = 'u/d thumb  1-5 stars  e edit  c comment  s skip  b back  ↑↓ scroll  v whole  q quit';

export function readRateAction(key: string): RateAction | undefined {
  return Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : ACTIONS[key.toLowerCase()];
}
