import { areEqual } from './mean-centred.ts';
import type { AdvantageEstimator } from './estimator.ts';

/** A_i = s_i − mean of the others (RLOO): the baseline of a rollout does not hold its own score. */
export const leaveOneOut: AdvantageEstimator = ({ scores }) => {
  const others = scores.length - 1;
  if (others < 1 || areEqual(scores)) return new Float64Array(scores.length);
  let sum = 0;
  for (let index = 0; index < scores.length; index += 1) sum += scores[index]!;
  return Float64Array.from(scores, (score) => score - (sum - score) / others);
};
