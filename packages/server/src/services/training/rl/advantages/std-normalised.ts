import type { AdvantageEstimator } from './estimator.ts';
import { meanCentred } from './mean-centred.ts';

/** Keeps a group of nearly equal scores from becoming huge; the value the common GRPO trainers use. */
const EPSILON = 1e-4;

/** A_i = (s_i − mean(s)) / (σ + 1e-4), with the sample standard deviation σ (divided by n − 1). */
export const stdNormalised: AdvantageEstimator = (group) => {
  const centred = meanCentred(group);
  if (centred.length < 2) return centred;
  const deviation = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0) / (centred.length - 1));
  return centred.map((value) => value / (deviation + EPSILON));
};
