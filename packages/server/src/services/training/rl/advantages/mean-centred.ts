import type { AdvantageEstimator } from './estimator.ts';
import { mean } from './mean.ts';

/** A_i = s_i − mean(s). */
export const meanCentred: AdvantageEstimator = ({ scores }) => {
  // Subtracting a rounded mean would leave dust that makes a dead group look alive.
  if (areEqual(scores)) return new Float64Array(scores.length);
  const centre = mean(scores);
  return Float64Array.from(scores, (score) => score - centre);
};

export function areEqual(values: ArrayLike<number>): boolean {
  for (let index = 1; index < values.length; index += 1) if (values[index] !== values[0]) return false;
  return true;
}
