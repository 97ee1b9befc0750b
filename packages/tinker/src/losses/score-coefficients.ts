import type { Datum } from '../codec/datum.ts';
import type { Logprobs } from './custom-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { readRow, readTargets } from './read-row.ts';

/**
 * How one number is made from the logprobs of a sequence, w being the datum's `weights` (all 1 when it has none):
 * `sum` is Σ w·logp, `mean` is Σ w·logp / Σ w, `last` is the logprob of the last token whose weight is not 0.
 */
export type SequenceScore = 'sum' | 'mean' | 'last';

export interface ScoreCoefficientsOptions {
  /** Name of the loss, for errors. */
  loss: string;
  datum: Datum;
  index: number;
  score: SequenceScore;
}

/** Every score here is linear in the logprobs: score = Σ c·logp. These c are therefore its gradient too. */
export function scoreCoefficients({ loss, datum, index, score }: ScoreCoefficientsOptions): Float64Array {
  const weights = readWeights({ loss, datum, index });
  if (score === 'last') {
    const last = weights.findLastIndex((weight) => weight !== 0);
    if (last === -1) throw new LossInputError({ loss, datum: index, reason: 'has no token with a weight' });
    return new Float64Array(weights.length).fill(1, last, last + 1);
  }
  if (score === 'mean') {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (total <= 0)
      throw new LossInputError({ loss, datum: index, reason: 'has weights that do not sum to more than 0' });
    return weights.map((weight) => weight / total);
  }
  return weights;
}

function readWeights({ loss, datum, index }: Omit<ScoreCoefficientsOptions, 'score'>): Float64Array {
  const { length } = readTargets({ loss, datum, index });
  const weights = readRow({ loss, datum, index, name: 'weights' });
  if (weights === undefined) return new Float64Array(length).fill(1);
  if (weights.length !== length) {
    throw new LossInputError({ loss, datum: index, reason: `has ${weights.length} weights for ${length} tokens` });
  }
  const wide = Float64Array.from(weights as ArrayLike<number | bigint>, Number);
  if (wide.every(Number.isFinite)) return wide;
  throw new LossInputError({ loss, datum: index, reason: 'has a weight that is not finite' });
}

/** Σ c·x. Tokens that do not count are not read: a masked token may well be -Infinity. */
export function scoreOf(coefficients: Float64Array, logprobs: Logprobs): number {
  let sum = 0;
  for (let token = 0; token < coefficients.length; token += 1) {
    const coefficient = coefficients[token]!;
    if (coefficient !== 0) sum += coefficient * logprobs[token]!;
  }
  return sum;
}
