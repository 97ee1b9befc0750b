import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { estimators } from './advantages.ts';

const scoresArbitrary = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 32 });
const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The formulas as their papers write them, one term at a time. */
const formulas: Record<keyof typeof estimators, (scores: number[], lengths: number[], i: number) => number> = {
  mean_centred: (scores, _lengths, i) => scores[i]! - average(scores),
  std_normalised: (scores, _lengths, i) => {
    const variance = scores.reduce((sum, score) => sum + (score - average(scores)) ** 2, 0) / (scores.length - 1);
    return (scores[i]! - average(scores)) / (Math.sqrt(variance) + 1e-4);
  },
  leave_one_out: (scores, _lengths, i) => scores[i]! - average(scores.filter((_score, j) => j !== i)),
  length_normalised: (scores, lengths, i) => ((scores[i]! - average(scores)) * average(lengths)) / lengths[i]!,
};

describe.each(Object.keys(estimators) as (keyof typeof estimators)[])('%s', (name) => {
  it('equals its formula', () => {
    fc.assert(
      fc.property(scoresArbitrary, fc.infiniteStream(fc.integer({ min: 1, max: 500 })), (scores, stream) => {
        const trainedTokens = scores.map(() => stream.next().value as number);
        const got = estimators[name]({ scores, trainedTokens });
        for (const [i, value] of got.entries()) {
          const wanted = formulas[name](scores, trainedTokens, i);
          expect(Math.abs(value - wanted)).toBeLessThan(1e-9 * (1 + Math.abs(wanted)));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('gives exactly zero to equal scores, and to a group of one', () => {
    for (const scores of [[0.1, 0.1, 0.1], [1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3], [0.7]]) {
      const got = estimators[name]({ scores, trainedTokens: scores.map(() => 3) });
      expect([...got].every((value) => value === 0)).toBe(true);
    }
  });
});
