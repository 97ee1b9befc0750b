import type { TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';

import { findQuantile } from '../../../kit/quantiles.ts';
import { readCaseNumber } from './cases.ts';
import type { CaseFacts } from './cases.ts';
import type { LibraryQuery } from './queries.ts';

export const PAGE = 50;

export type Search = (filter: TrajectoryFilter, limit: number) => Promise<readonly TrajectorySummary[]>;

export interface SearchFigures {
  searches: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  /** The slowest question. */
  slowest: string;
  /** Pages that are not the newest that fit. */
  wrong: number;
  found: number;
}

/** Asks every question once and compares each page with the one the facts give. */
export async function measureSearches(options: {
  search: Search;
  queries: readonly LibraryQuery[];
  facts: readonly CaseFacts[];
}): Promise<SearchFigures> {
  const { search, queries, facts } = options;
  const times: { ms: number; filter: TrajectoryFilter }[] = [];
  let wrong = 0;
  let found = 0;
  for (const { filter, fits } of queries) {
    const startedAt = performance.now();
    const page = await search(filter, PAGE);
    times.push({ ms: performance.now() - startedAt, filter });
    const expected: number[] = [];
    for (let index = facts.length - 1; index >= 0 && expected.length < PAGE; index -= 1) {
      const one = facts[index]!;
      if (!one.isForeign && fits(one)) expected.push(one.number);
    }
    found += page.length;
    if (page.map((summary) => readCaseNumber(summary)).join() !== expected.join()) wrong += 1;
  }
  const ms = times.map((one) => one.ms);
  const slowest = times.reduce((left, right) => (right.ms > left.ms ? right : left));
  return {
    searches: queries.length,
    p50Ms: findQuantile(ms, 0.5),
    p95Ms: findQuantile(ms, 0.95),
    maxMs: slowest.ms,
    slowest: JSON.stringify(slowest.filter),
    wrong,
    found,
  };
}
