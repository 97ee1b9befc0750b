import { readCommitNumber } from './read-commit-number.ts';

/** So many of a list, others for each commit, so that all are met in the course of time; all of it where there are no more. */
export function chooseSlice<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  const start = readCommitNumber() % list.length;
  // One that divides the length would come back to where it began.
  const stride = STRIDES.find((prime) => list.length % prime !== 0) ?? 1;
  return Array.from({ length: count }, (_, at) => list[(start + at * stride) % list.length] as T);
}

/** Primes, so that a slice is spread over the areas of a list. */
const STRIDES = [7, 11, 13];
