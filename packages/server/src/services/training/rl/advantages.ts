import { mean } from '@lachesis/protocol';
import type { OwnAdvantage } from './own-code/own-code.ts';

/** What an estimator may look at: one group. */
export interface ScoredGroup {
  /** One score per rollout. */
  scores: ArrayLike<number>;
  /** How many tokens of each rollout are trained on, over all its sequences. */
  trainedTokens: ArrayLike<number>;
  /** What was sampled, for estimators that look at more than scores. */
  readonly sequences?: Parameters<OwnAdvantage['advantage']>[0]['groups'][number]['sequences'] | undefined;
}

/** Scores of a group become one advantage per rollout. Pure; a group of one has the advantage 0. */
export type AdvantageEstimator = (group: ScoredGroup) => Float64Array;

/** Scores of all groups of a batch become one advantage per rollout of each. */
export interface BatchEstimator {
  estimateBatch(groups: readonly ScoredGroup[]): Float64Array[];
}

/** A_i = s_i − mean(s). */
const meanCentred: AdvantageEstimator = ({ scores }) => {
  // Subtracting a rounded mean would leave dust that makes a dead group look alive.
  if (areEqual(scores)) return new Float64Array(scores.length);
  const centre = mean(scores);
  return Float64Array.from(scores, (score) => score - centre);
};

/** Keeps a group of nearly equal scores from becoming huge; the value the common GRPO trainers use. */
const EPSILON = 1e-4;

/** A_i = (s_i − mean(s)) / (σ + 1e-4), with the sample standard deviation σ (divided by n − 1). */
const stdNormalised: AdvantageEstimator = (group) => {
  const centred = meanCentred(group);
  if (centred.length < 2) return centred;
  const deviation = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0) / (centred.length - 1));
  return centred.map((value) => value / (deviation + EPSILON));
};

/** A_i = s_i − mean of the others (RLOO): the baseline of a rollout does not hold its own score. */
const leaveOneOut: AdvantageEstimator = ({ scores }) => {
  const others = scores.length - 1;
  if (others < 1 || areEqual(scores)) return new Float64Array(scores.length);
  let sum = 0;
  for (let index = 0; index < scores.length; index += 1) sum += scores[index]!;
  return Float64Array.from(scores, (score) => score - (sum - score) / others);
};

/**
 * A_i = (s_i − mean(s)) · L̄ / L_i, where L_i is the number of trained tokens of a rollout and L̄ their mean over the
 * group: summed over its tokens every rollout weighs the same, whatever its length, and a group of equal lengths is left as it is.
 */
const lengthNormalised: AdvantageEstimator = (group) => {
  const average = mean(group.trainedTokens);
  return meanCentred(group).map((value, index) => {
    const length = group.trainedTokens[index]!;
    return length === 0 ? 0 : (value * average) / length;
  });
};

/** The sample standard deviation (divided by n − 1) of values whose mean is 0. */
const deviationOf = (centred: readonly Float64Array[]): number => {
  let sum = 0;
  let count = 0;
  for (const values of centred) {
    for (const value of values) sum += value * value;
    count += values.length;
  }
  return count < 2 ? 0 : Math.sqrt(sum / (count - 1));
};

const dividedBy = (centred: readonly Float64Array[], deviation: number): Float64Array[] =>
  centred.map((values) => values.map((value) => value / (deviation + EPSILON)));

/** A_i = (s_i − mean of its group) / (σ + 1e-4), with the deviation of what is left over the whole batch. */
const batchStd: BatchEstimator = {
  estimateBatch(groups) {
    const centred = groups.map(meanCentred);
    return dividedBy(centred, deviationOf(centred));
  },
};

/** A_i = (s_i − mean of the batch) / (σ of the batch + 1e-4): REINFORCE++, in which a group is no unit. */
const batchNormalised: BatchEstimator = {
  estimateBatch(groups) {
    const all = groups.flatMap(({ scores }) => Array.from(scores));
    if (areEqual(all)) return groups.map(({ scores }) => new Float64Array(scores.length));
    const centre = mean(all);
    const centred = groups.map(({ scores }) => Float64Array.from(scores, (score) => score - centre));
    return dividedBy(centred, deviationOf(centred));
  },
};

/** Those that look at one group, by their names in a recipe. */
export const estimators = Object.freeze({
  mean_centred: meanCentred,
  std_normalised: stdNormalised,
  leave_one_out: leaveOneOut,
  length_normalised: lengthNormalised,
});

/** Those that look at the whole batch. */
const batchEstimators = Object.freeze({ batch_std: batchStd, batch_normalised: batchNormalised });

const byName: Readonly<Record<string, AdvantageEstimator | BatchEstimator>> = {
  ...estimators,
  ...batchEstimators,
};

/** Undefined for a name that is none. */
export const findEstimator = (name: string): AdvantageEstimator | BatchEstimator | undefined =>
  Object.hasOwn(byName, name) ? byName[name] : undefined;

function areEqual(values: ArrayLike<number>): boolean {
  for (let index = 1; index < values.length; index += 1) if (values[index] !== values[0]) return false;
  return true;
}
