import { mean } from '../learns/bootstrap-gain.ts';

/** Batches whose mean decides: one alone is chance. */
const BATCHES = 2;

/** Of the divergence from the teacher, by step. */
export const first = (distances: readonly number[]): number => distances[0] ?? Number.NaN;
export const last = (distances: readonly number[]): number =>
  distances.length < BATCHES ? Number.NaN : mean(distances.slice(-BATCHES));

/** After how many steps a run had fallen by half of what it fell until it was over; all of them if it did not fall. */
export function countToHalf(distances: readonly number[]): number {
  if (!(last(distances) < first(distances))) return distances.length;
  const half = (first(distances) + last(distances)) / 2;
  const at = distances.findIndex((_, index) => last(distances.slice(0, index + 1)) <= half);
  return at === -1 ? distances.length : at + 1;
}
