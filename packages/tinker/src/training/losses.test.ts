import { LOSSES } from '@lachesis/protocol';
import { describe, expect, it, test } from 'vitest';
import { completeConfig, computeLossSum, isLinearInAdvantages, requiredInputs } from './losses.ts';

/** One token with the advantage 2, sampled with the log probability −1; the learner has another. */
const token = (learner: number) => ({
  datums: [
    {
      tokens: Int32Array.of(7),
      inputs: {
        target_tokens: Int32Array.of(8),
        logprobs: Float32Array.of(-1),
        advantages: Float32Array.of(2),
      },
    },
  ],
  logprobs: [Float32Array.of(learner)],
});

describe.each(Object.keys(LOSSES))('the loss %s of a recipe', (loss) => {
  it('has a formula, and wants what it needs', () => {
    expect(isLinearInAdvantages(loss)).toBe(true);
    expect(requiredInputs(loss)).toEqual(['target_tokens', 'logprobs', 'advantages']);
  });
});

test('the bounds of the recipe are sent, and a bound that is given takes the place of its own', () => {
  expect(completeConfig('ppo', undefined)).toEqual({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 });
  expect(completeConfig('cispo', { clip_high_threshold: 3 })).toEqual({
    clip_low_threshold: 0,
    clip_high_threshold: 3,
  });
  expect(completeConfig('importance_sampling', undefined)).toBeUndefined();
  expect(completeConfig('somebody_elses', { a: 1 })).toEqual({ a: 1 });
});

test.each([
  ['importance_sampling', -0.5, -2 * Math.exp(0.5)],
  ['importance_sampling', -2, -2 * Math.exp(-1)],
  // With a positive advantage the ratio counts up to the upper bound, and whatever is below it.
  ['ppo', -0.5, -2 * 1.2],
  ['ppo', -2, -2 * Math.exp(-1)],
  // The clipped ratio weighs the log probability.
  ['cispo', -0.5, 0.5 * 2 * Math.exp(0.5)],
  ['cispo', 1, -2 * 4],
])('%s of a token at %d is %d', (loss, learner, expected) => {
  const sum = computeLossSum({ loss, config: completeConfig(loss, undefined), ...token(learner) });
  expect(sum).toBeCloseTo(expected, 6);
});

test('what is not known here is not computed, and asks for nothing', () => {
  for (const loss of ['dro', 'somebody_elses', 'constructor']) {
    expect(computeLossSum({ loss, config: undefined, ...token(-1) })).toBeUndefined();
    expect(isLinearInAdvantages(loss)).toBe(false);
  }
  expect(requiredInputs('constructor')).toEqual([]);
});
