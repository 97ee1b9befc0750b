import type { AdvantageEstimator } from './estimator.ts';
import { mean } from './mean.ts';
import { meanCentred } from './mean-centred.ts';

/**
 * A_i = (s_i − mean(s)) · L̄ / L_i, where L_i is the number of trained tokens of a rollout and L̄ their mean over the
 * group: summed over its tokens every rollout weighs the same, whatever its length, and a group of equal lengths is left as it is.
 */
export const lengthNormalised: AdvantageEstimator = (group) => {
  const average = mean(group.trainedTokens);
  return meanCentred(group).map((value, index) => {
    const length = group.trainedTokens[index]!;
    return length === 0 ? 0 : (value * average) / length;
  });
};
