import { execFileSync } from 'node:child_process';

/** So many of a list, others for each commit, so that all are met in the course of time; all of it where there are no more. */
export function chooseSlice<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  const start = readCommit() % list.length;
  return Array.from({ length: count }, (_, at) => list[(start + at * STRIDE) % list.length] as T);
}

/** Spreads a slice over the areas of a list; a prime that no list's length divides by. */
const STRIDE = 7;

function readCommit(): number {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8), 16);
  } catch {
    // Without a repository it is always the same slice.
    return 0;
  }
}
