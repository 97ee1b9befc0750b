import { expect, test } from 'vitest';

import { createPolicyLoss } from './policy-loss.ts';
import type { PolicyLossOptions } from './policy-settings.ts';

/** One sequence of a prompt token and two of a reply. */
const datum = (sampler: number[], advantage: number) => ({
  tokens: new Int32Array(3),
  inputs: {
    target_tokens: new Int32Array(3),
    logprobs: Float32Array.from([0, ...sampler]),
    advantages: Float32Array.from([0, advantage, advantage]),
    weights: Float32Array.from([0, 1, 1]),
  },
});
const run = (options: PolicyLossOptions, advantage = 1) =>
  createPolicyLoss(options)({
    logprobs: [Float64Array.from([Number.NEGATIVE_INFINITY, -1, -1])],
    datums: [datum([-1, -1 - Math.log(2)], advantage)],
  });

test('ratios of 1 and 2: the clip holds the second back where that makes the objective smaller, and it is counted', () => {
  const clipped = run({ clip: 'pessimistic', low: 0.8, high: 1.2 });
  expect(clipped.loss).toBeCloseTo(-2.2, 6);
  expect([...clipped.gradients[0]!].map((value) => value + 0)).toEqual([0, -1, 0]);
  expect(clipped.metrics['policy:clipped_share']).toBe(0.5);
  expect(run({ clip: 'pessimistic', low: 0.8, high: 1.2 }, -1).metrics['policy:clipped_share']).toBe(0);
});

test('the weight of cispo is clipped and takes no gradient', () => {
  const { loss, gradients } = run({ clip: 'weight', low: 0, high: 1.5 });
  expect(loss).toBeCloseTo(2.5, 6);
  expect(gradients[0]![2]).toBeCloseTo(-1.5, 6);
});

test('a sequence has one ratio, and its gradient is spread over its tokens', () => {
  const { loss, gradients } = run({ ratio: 'sequence', aggregation: 'sequence_mean' });
  expect(loss).toBeCloseTo(-Math.SQRT2, 6);
  expect(gradients[0]![1]).toBeCloseTo(-Math.SQRT2 / 2, 6);
  expect(gradients[0]![0]).toBe(0);
});

test('truncated and masked importance sampling hold the same token back', () => {
  const tis = run({ ratioTo: 'proximal', correction: { kind: 'truncate', level: 'token', high: 1.5 } });
  const mis = run({ ratioTo: 'proximal', correction: { kind: 'mask', level: 'token', high: 1.5 } });
  expect(tis.gradients[0]![2]).toBeCloseTo(-1.5, 6);
  expect(mis.gradients[0]![2]! + 0).toBe(0);
  expect([tis, mis].map(({ metrics }) => metrics['policy:corrected_share'])).toEqual([0.5, 0.5]);
});

test('settings that contradict each other are refused', () => {
  expect(() => createPolicyLoss({ correction: { kind: 'mask', level: 'token' } })).toThrow(/proximal/);
  expect(() => createPolicyLoss({ low: 2, high: 1 })).toThrow(/between 2 and 1/);
  expect(() => run({ aggregation: 'constant_length' })).toThrow(/length above 0/);
});
