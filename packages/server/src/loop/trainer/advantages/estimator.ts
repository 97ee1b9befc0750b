/** What an estimator may look at: one group. */
export interface ScoredGroup {
  /** One score per sequence. */
  scores: ArrayLike<number>;
  /** How many tokens of each sequence are trained on. */
  trainedTokens: ArrayLike<number>;
}

/** Scores of a group become one advantage per sequence. Pure; a group of one has the advantage 0. */
export type AdvantageEstimator = (group: ScoredGroup) => Float64Array;
