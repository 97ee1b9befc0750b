import { readCommitNumber } from './read-commit-number.ts';

/** So many of a list, others for each commit, so that all are met in the course of time; all of it where there are no more. */
export function chooseSlice<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  const start = readCommitNumber() % list.length;
  return Array.from({ length: count }, (_, at) => list[(start + at * STRIDE) % list.length] as T);
}

/** Spreads a slice over the areas of a list; a prime that no list's length divides by. */
const STRIDE = 7;
