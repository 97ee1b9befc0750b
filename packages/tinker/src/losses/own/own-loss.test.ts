import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  batchArbitrary,
  finiteDifferences,
  largestDifference,
  type GeneratedBatch,
} from '../finite-differences.fixture.ts';
import { createPolicyLoss } from '../policy/policy-loss.ts';
import type { PolicyLossOptions } from '../policy/policy-settings.ts';
import { createOwnLoss } from './create-own-loss.ts';
import { defineLoss, type LossInput, type LossResult } from './define-loss.ts';
import { tryOwnLoss } from './try-own-loss.ts';

/** The same batch with a sampler and advantages; two sequences to a group. */
function withAdvantages({ datums, logprobs, reference }: GeneratedBatch) {
  return {
    logprobs,
    reference,
    sequences: datums.map((_, index) => ({ group: index >> 1, rollout: index & 1, score: index % 3 })),
    datums: datums.map((datum, index) => ({
      ...datum,
      inputs: {
        ...datum.inputs,
        logprobs: Float32Array.from(logprobs[index]!, (value, token) => value + 0.3 * Math.sin(token + index)),
        advantages: new Float32Array(logprobs[index]!.length).fill(index % 2 === 0 ? 0.7 : -0.4),
      },
    })),
  };
}

const own = (loss: (input: LossInput) => LossResult, more: object = {}) => defineLoss({ name: 'mine', ...more, loss });

const ppo = own(({ learner, sampler, advantages }) => {
  const ratio = learner.minus(sampler).exp();
  return ratio.times(advantages).min(ratio.clip(0.8, 1.2).times(advantages)).mean('sequence').mean().times(-1);
});
const gspo = own(({ learner, sampler, advantages }) => {
  const ratio = learner.minus(sampler).mean('sequence').exp();
  return ratio.times(advantages).min(ratio.clip(0.9, 1.1).times(advantages)).mean().times(-1);
});
const cispo = own(({ learner, sampler, advantages }) =>
  learner.minus(sampler).exp().clip(0, 1.1).detached().times(advantages).times(learner).sum().times(-1),
);
const held = own(
  ({ learner, sampler, advantages, reference }) => {
    const distance = learner.minus(reference);
    const kl = distance.times(-1).exp().minus(1).plus(distance).mean();
    return {
      loss: learner.minus(sampler).exp().times(advantages).mean().times(-1).plus(kl.times(0.1)),
      metrics: { kl },
    };
  },
  { needsReference: true },
);

test.each([
  ['ppo', ppo, { clip: 'pessimistic', low: 0.8, high: 1.2, aggregation: 'sequence_mean' }],
  ['gspo', gspo, { ratio: 'sequence', clip: 'pessimistic', low: 0.9, high: 1.1, aggregation: 'token_mean' }],
  ['cispo', cispo, { clip: 'weight', high: 1.1 }],
  ['a KL term', held, { aggregation: 'token_mean', kl: { estimator: 'k3', coefficient: 0.1, reference: [] } }],
] satisfies [string, ReturnType<typeof own>, PolicyLossOptions][])(
  '%s as one writes it is the one by name, in value and gradient',
  (_, mine, options: PolicyLossOptions) => {
    fc.assert(
      fc.property(batchArbitrary(), (generated) => {
        const { reference, sequences, ...input } = withAdvantages(generated);
        const named = createPolicyLoss({ ...options, ...(options.kl ? { kl: { ...options.kl, reference } } : {}) });
        const [ours, theirs] = [createOwnLoss({ own: mine, sequences, reference })(input), named(input)];
        expect(ours.loss).toBeCloseTo(theirs.loss, 9);
        expect(largestDifference([...ours.gradients], [...theirs.gradients])).toBeLessThan(1e-9);
        if (options.kl) expect(ours.metrics['policy:kl']).toBeCloseTo(theirs.metrics['policy:kl']!, 9);
      }),
      { numRuns: 100 },
    );
  },
);

const everything = own(({ learner, sampler, advantages, scores }) => {
  const baseline = scores.mean('group');
  const ratio = learner.minus(sampler).exp();
  const soft = ratio.minus(1).sigmoid().times(scores.minus(baseline).plus(2)).plus(ratio.logSigmoid());
  const spread = learner.times(learner).mean('group').plus(1).log();
  const tanh = learner.map(Math.tanh, (x) => 1 - Math.tanh(x) ** 2);
  return soft
    .over(ratio.plus(advantages.times(0.1)).plus(3))
    .plus(tanh.max(-0.9))
    .sum('sequence')
    .mean()
    .plus(spread.sum());
});

test('gradients are those of finite differences, through every operation', () => {
  fc.assert(
    fc.property(batchArbitrary({ multipleOf: 2 }), (generated) => {
      const { sequences, logprobs, datums } = withAdvantages(generated);
      const loss = createOwnLoss({ own: everything, sequences });
      const numeric = finiteDifferences({ loss, logprobs, datums });
      expect(largestDifference(numeric, [...loss({ logprobs, datums }).gradients])).toBeLessThan(1e-5);
    }),
    { numRuns: 60 },
  );
});

test('a mistake is told before an engine works for it', () => {
  const refusal = (loss: (input: LossInput) => LossResult) => () => tryOwnLoss(own(loss));
  expect(refusal(({ learner }) => learner.sum())).not.toThrow();
  expect(refusal(({ learner }) => learner)).toThrow(/a number for each token: end with \.sum\(\)/);
  expect(refusal(({ learner }) => learner.detached().sum())).toThrow(/does not depend on learner/);
  expect(refusal(({ learner }) => learner.log().sum())).toThrow(/is NaN/);
  expect(refusal(({ learner, reference }) => learner.minus(reference).sum())).toThrow(/needsReference: true/);
  expect(refusal(({ learner, scores }) => scores.sum('token').plus(learner).sum())).toThrow(/each token from numbers/);
  expect(refusal(() => 3 as never)).toThrow(/no value of the batch/);
  expect(refusal(({ learner }) => learner.map(Math.exp, () => 1).sum())).toThrow(/slope at .* is given as 1/);
  expect(refusal(({ learner }) => ({ loss: learner.sum(), metrics: { 'My metric': 1 } }))).toThrow(/make a name/);
  expect(refusal(({ learner }) => learner.times(0).exp().minus(1).times(-1).clip(0, 1).log().sum())).toThrow(
    /-?Infinity/,
  );
  expect(() => tryOwnLoss(ppo)).not.toThrow();
  expect(() => tryOwnLoss(held)).not.toThrow();
});

test('a masked token is not looked at, and a gradient that is no number is told with its place', () => {
  const datum = {
    tokens: new Int32Array(3),
    inputs: {
      target_tokens: Int32Array.of(7, 8, 9),
      logprobs: Float32Array.of(0, -1, -1),
      advantages: Float32Array.of(0, 1, 1),
      weights: Float32Array.of(0, 1, 1),
    },
  };
  const sequences = [{ group: 4, rollout: 0, score: 0.5 }];
  const input = { datums: [datum], logprobs: [Float64Array.of(Number.NaN, -1, 0)] };
  const seen = createOwnLoss({
    sequences,
    own: own(({ learner, sequences: [only] }) => {
      expect(only).toEqual({ ...sequences[0], tokens: Int32Array.of(7, 8, 9), mask: Float32Array.of(0, 1, 1) });
      return learner.sum();
    }),
  })(input);
  expect(seen).toEqual({ loss: -1, gradients: [Float64Array.of(0, 1, 1)], metrics: {} });
  const root = own(({ learner }) =>
    learner
      .times(-1)
      .map(Math.sqrt, (x) => 0.5 / Math.sqrt(x))
      .sum(),
  );
  expect(() => createOwnLoss({ sequences, own: root })(input)).toThrow(
    /datum 0: has the gradient -?Infinity at token 2/,
  );
});
