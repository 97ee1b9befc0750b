import type { TrainingSequence } from '../datums/convert-group.ts';

/** How the policy that sampled and the policy that is trained differ over the trained tokens of a step. */
export interface PolicyComparison {
  tokens: number;
  samplerMean: number;
  trainerMean: number;
  /** Mean of sampler − trainer: the plain estimate (k1) of KL(sampler ‖ trainer). */
  kl1: number;
  /** Half the mean square. */
  kl2: number;
  /** Mean of e^d − 1 − d with d = trainer − sampler: never negative, and of low variance. */
  kl3: number;
  ratioMean: number;
  ratioMax: number;
  /** Share of tokens whose ratio lies outside the bounds. */
  clipFraction: number;
  /** Mean |sampler − trainer| over tokens the newest policy sampled, which both sides should give the same. */
  drift: number;
  driftTokens: number;
  /** Of single tokens, at most some ten thousand of them, evenly taken. */
  ratios: Float64Array;
}

/** Enough for five quantiles; a batch has millions. */
const MOST_RATIOS = 65_536;

export interface CompareLogprobsOptions {
  sequences: readonly TrainingSequence[];
  /** Of the trainer, one array per sequence. */
  logprobs: readonly Float32Array[];
  /** The version the trainer had before the step. */
  policyVersion: number;
  bounds: { low: number; high: number };
}

export function compareLogprobs({
  sequences,
  logprobs,
  policyVersion,
  bounds,
}: CompareLogprobsOptions): PolicyComparison {
  let tokens = 0;
  let samplerSum = 0;
  let trainerSum = 0;
  let squares = 0;
  let k3 = 0;
  let ratioSum = 0;
  let ratioMax = 0;
  let clipped = 0;
  let driftSum = 0;
  let driftTokens = 0;
  const trained = sequences.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0);
  const everyToken = Math.max(1, Math.ceil(trained / MOST_RATIOS));
  const ratios: number[] = [];
  for (const [index, { datum, versions }] of sequences.entries()) {
    const { logprobs: sampler, weights } = datum.inputs;
    const trainer = logprobs[index]!;
    // Without versions a group may be of any age; it says nothing about drift.
    const isFresh = versions?.oldest === policyVersion;
    for (let position = 0; position < weights.length; position += 1) {
      if (weights[position] === 0) continue;
      const difference = trainer[position]! - sampler[position]!;
      const ratio = Math.exp(difference);
      if (tokens % everyToken === 0) ratios.push(ratio);
      tokens += 1;
      samplerSum += sampler[position]!;
      trainerSum += trainer[position]!;
      squares += difference * difference;
      k3 += ratio - 1 - difference;
      ratioSum += ratio;
      if (ratio > ratioMax) ratioMax = ratio;
      if (ratio < bounds.low || ratio > bounds.high) clipped += 1;
      if (isFresh) {
        driftSum += Math.abs(difference);
        driftTokens += 1;
      }
    }
  }
  const per = (sum: number, count = tokens): number => (count === 0 ? 0 : sum / count);
  return {
    tokens,
    samplerMean: per(samplerSum),
    trainerMean: per(trainerSum),
    kl1: per(samplerSum - trainerSum),
    kl2: per(squares) / 2,
    kl3: per(k3),
    ratioMean: per(ratioSum),
    ratioMax,
    clipFraction: per(clipped),
    drift: per(driftSum, driftTokens),
    driftTokens,
    ratios: Float64Array.from(ratios),
  };
}
