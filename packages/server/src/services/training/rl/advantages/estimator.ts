/** What an estimator may look at: one group. */
export interface ScoredGroup {
  /** One score per rollout. */
  scores: ArrayLike<number>;
  /** How many tokens of each rollout are trained on, over all its sequences. */
  trainedTokens: ArrayLike<number>;
}

/** Scores of a group become one advantage per rollout. Pure; a group of one has the advantage 0. */
export type AdvantageEstimator = (group: ScoredGroup) => Float64Array;
