import { scored } from '../outcome.ts';
import { compareMathAnswer } from './math/compare-math-answer.ts';
import { readExpected } from './read-expected.ts';
import type { Reward } from './reward.ts';

export interface MathRewardOptions {
  /** Places that count when one side was written as a decimal. Default 6. */
  readonly decimals?: number;
  /** Take `x > 2` where `(2, ∞)` is wanted. Default false. */
  readonly acceptRelationForSet?: boolean;
  /** What is taken off when the answer stands in no box: 0.1 turns 1 into 0.9. Default 0. */
  readonly penaltyWithoutBox?: number;
}

/**
 * 1 when the answer found in the reply means what was expected, else 0: fractions, decimals, per cent, roots, expressions,
 * equations, inequalities, intervals, sets, pairs and matrices, in LaTeX or plain.
 */
export function createMathReward(options: MathRewardOptions = {}): Reward {
  const { decimals, acceptRelationForSet, penaltyWithoutBox = 0 } = options;
  return ({ answer, expected }) => {
    const wanted = readExpected(expected, 'math');
    if (typeof wanted !== 'string') return wanted;
    const { isSame, answer: found } = compareMathAnswer({
      expected: wanted,
      reply: answer,
      ...(decimals === undefined ? {} : { decimals }),
      ...(acceptRelationForSet === undefined ? {} : { acceptRelationForSet }),
    });
    const hasBox = /\\(?:boxed|fbox)\s*\{/.test(answer);
    const reward = isSame ? 1 - (hasBox ? 0 : penaltyWithoutBox) : 0;
    return scored(reward, { correct: isSame ? 1 : 0, answered: found === undefined ? 0 : 1, boxed: hasBox ? 1 : 0 });
  };
}
