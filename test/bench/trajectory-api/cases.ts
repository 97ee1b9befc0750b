import type { CaseLoad } from './measure.ts';

/** What every case shares: groups of 16 sequences, batches of 128 sequences, 16 environments, 48 different bodies. */
const COMMON = {
  environments: 16,
  sequences: 16,
  tokens: 1024,
  batchSize: 128,
  templates: 48,
  groups: 0,
  // The original may need seconds for one batch under load; fewer than three would be an anecdote.
  minBatches: 3,
} as const;

/** Each case as a load, in its short form and in its full one. */
export const CASES = {
  // The original is slower the more groups wait with it, and hands out three batches in six seconds: too few to tell a rate by.
  steady: (full: boolean): CaseLoad => ({
    ...{ ...COMMON, mode: 'steady', ...pickWindow(full) },
  }),
  paced: (full: boolean): CaseLoad => ({ ...COMMON, mode: 'paced', ...pickWindow(full) }),
  ingest: (full: boolean): CaseLoad => ({ ...COMMON, mode: 'ingest', ...pickWindow(full) }),
  // More than the original hands out in the window, so that neither runs dry before it can be timed.
  drain: (full: boolean): CaseLoad => ({ ...COMMON, mode: 'drain', ...pickWindow(full), groups: full ? 320 : 160 }),
  large: (full: boolean): CaseLoad => ({
    ...COMMON,
    mode: 'drain',
    environments: 4,
    tokens: 8192,
    templates: 8,
    groups: full ? 40 : 24,
    // One reply of the original takes about ten seconds.
    minBatches: full ? 3 : 1,
    seconds: full ? 20 : 5,
    maxSeconds: full ? 90 : 30,
  }),
  memory: (groups: number): CaseLoad => ({ ...COMMON, mode: 'fill', groups, seconds: 0, maxSeconds: 90 }),
} as const;

function pickWindow(full: boolean): { seconds: number; maxSeconds: number } {
  return full ? { seconds: 20, maxSeconds: 40 } : { seconds: 6, maxSeconds: 18 };
}
