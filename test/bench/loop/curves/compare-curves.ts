import type { Curve } from './run-curves.ts';

export interface CurveComparison {
  /** How far apart the two are on average over all steps: one is above the other by so much. */
  readonly meanGap: number;
  /** Steps between the moments at which each first reaches half of what there is to get. */
  readonly lag: number;
  readonly isSame: boolean;
}

const HALF = 0.5;
/**
 * Two runs of one side differ by as much: replies are drawn anew, and whether a group is taken by this step or the next is
 * a matter of milliseconds. Half a step of the steep part is a mean of 0.05 over eight steps.
 */
const MOST_GAP = 0.12;
const MOST_LAG = 2;

/** Tells whether two curves of mean rewards are the same within the noise of sampling. */
export function compareCurves(left: Curve, right: Curve): CurveComparison {
  const steps = Math.min(left.length, right.length);
  const mean = (curve: Curve): number => curve.slice(0, steps).reduce((sum, reward) => sum + reward, 0) / steps;
  const meanGap = Math.abs(mean(left) - mean(right));
  const lag = Math.abs(findHalf(left, steps) - findHalf(right, steps));
  return { meanGap, lag, isSame: meanGap <= MOST_GAP && lag <= MOST_LAG };
}

/** Never getting there counts as later than any step. */
function findHalf(curve: Curve, steps: number): number {
  const index = curve.findIndex((reward) => reward >= HALF);
  return index < 0 ? steps * 2 : index;
}
