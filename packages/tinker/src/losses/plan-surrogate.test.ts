import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createDpoLoss } from './dpo-loss.ts';
import { batchArbitrary, largestDifference, makeDatum } from './finite-differences.fixture.ts';
import { planSurrogate } from './plan-surrogate.ts';
import type { LossNormalisation, SurrogateProfile } from './plan-surrogate.ts';
import { serverGradient, serverLoss } from './server-losses.fixture.ts';

const normalisations: LossNormalisation[] = ['sum', 'token-mean', 'sequence-mean', 'token-mean-then-sequence-mean'];
const profiles: SurrogateProfile[] = normalisations.flatMap((normalisation) =>
  [true, false].map((allowsNegativeWeights) => ({ normalisation, allowsNegativeWeights })),
);

/** Logprobs as the wire carries them, so that the ratio is 1 to the last bit. */
const asSent = (rows: readonly Float64Array[]) => rows.map((row) => Float64Array.from(Float32Array.from(row)));

test.each(profiles)(
  'the surrogate has the wanted gradient: $normalisation, weights below 0 allowed $allowsNegativeWeights',
  (profile) => {
    fc.assert(
      fc.property(batchArbitrary({ multipleOf: 2 }), fc.integer({ min: 0, max: 9 }), (batch, others) => {
        const logprobs = asSent(batch.logprobs);
        const { gradients } = createDpoLoss({ reference: batch.reference, beta: 3 })({ ...batch, logprobs });
        const sequencesInStep = batch.datums.length + others;
        const plan = planSurrogate({ datums: batch.datums, gradients, logprobs, profile, sequencesInStep });
        const server = { ...plan, logprobs, normalisation: profile.normalisation, sequencesInStep };
        const analytic = serverGradient(server);
        for (const [datum, row] of gradients.entries()) {
          for (const [token, wanted] of row.entries()) {
            // Half a step of a 32-bit number, and the smallest one there is.
            expect(Math.abs(analytic[datum]![token]! - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 1.2e-7 + 1e-44);
          }
        }
        const step = 1e-5;
        const numeric = logprobs.map((row, datum) =>
          row.map((_, token) => {
            const at = (shift: number) => {
              const moved = logprobs.map((values) => values.slice());
              moved[datum]![token]! += shift;
              return serverLoss({ ...server, logprobs: moved });
            };
            return (at(step) - at(-step)) / (2 * step);
          }),
        );
        expect(largestDifference(numeric, gradients)).toBeLessThan(1e-5);
      }),
      { numRuns: 40 },
    );
  },
);

test('cross entropy is taken only where weights below 0 are safe and nothing divides by their sum', () => {
  const input = { datums: [makeDatum(1)], gradients: [Float64Array.of(1)], logprobs: [Float64Array.of(-1)] };
  expect(
    profiles.map((profile) => `${Object.values(profile).join(' ')}: ${planSurrogate({ ...input, profile }).loss}`),
  ).toEqual([
    'sum true: cross_entropy',
    'sum false: importance_sampling',
    'token-mean true: importance_sampling',
    'token-mean false: importance_sampling',
    'sequence-mean true: cross_entropy',
    'sequence-mean false: importance_sampling',
    'token-mean-then-sequence-mean true: importance_sampling',
    'token-mean-then-sequence-mean false: importance_sampling',
  ]);
});

test('plain cross entropy with weights below 0 explodes on a server that divides by their sum', () => {
  const gradient = Float64Array.of(0.5, -0.25);
  const datums = [makeDatum(2, [-0.5, 0.25])];
  const [analytic] = serverGradient({
    loss: 'cross_entropy',
    datums,
    logprobs: [Float64Array.of(-1, -2)],
    normalisation: 'token-mean-then-sequence-mean',
    sequencesInStep: 1,
  });
  expect(analytic![0]! / gradient[0]!).toBeGreaterThan(1e8);
});

test('each server gets the inputs its loss knows and no others', () => {
  const datums = [{ ...makeDatum(3, [1, 1, 1]), chunks: [] }];
  const [gradients, logprobs] = [[Float64Array.of(0, -2, 4)], [Float32Array.of(-1, -2, -3)]];
  const inputsFor = (profile: SurrogateProfile) =>
    planSurrogate({ datums, gradients, logprobs, profile, sequencesInStep: 5 }).datums[0]!.inputs;
  const targets = datums[0]!.inputs['target_tokens'];

  expect(inputsFor({ normalisation: 'sum', allowsNegativeWeights: true })).toEqual({
    target_tokens: targets,
    weights: Float32Array.of(0, 2, -4),
  });
  expect(inputsFor({ normalisation: 'sum', allowsNegativeWeights: false })).toEqual({
    target_tokens: targets,
    logprobs: Float32Array.of(-1, -2, -3),
    advantages: Float32Array.of(0, 2, -4),
  });
  // Two tokens count and five sequences are in the step: ten times.
  expect(inputsFor({ normalisation: 'token-mean-then-sequence-mean', allowsNegativeWeights: false })).toEqual({
    target_tokens: targets,
    logprobs: Float32Array.of(-1, -2, -3),
    advantages: Float32Array.of(0, 20, -40),
    weights: Float32Array.of(0, 1, 1),
  });
});

test('numbers that would ruin the model are refused before they are sent', () => {
  const datums = [makeDatum(2)];
  const profile: SurrogateProfile = { normalisation: 'sum', allowsNegativeWeights: false };
  const plan = (gradient: number[], logprobs: number[], sequencesInStep = 1) =>
    planSurrogate({
      datums,
      gradients: [Float64Array.from(gradient)],
      logprobs: [Float64Array.from(logprobs)],
      profile,
      sequencesInStep,
    });
  expect(() => plan([0, Number.NaN], [-1, -1])).toThrow(/datum 0: has a gradient that is not a finite/);
  expect(() => plan([0, 1e39], [-1, -1])).toThrow(/finite 32-bit/);
  expect(() => plan([0, 1], [-1, Number.NEGATIVE_INFINITY])).toThrow(/logprob -Infinity at token 1/);
  expect(plan([0, 1], [Number.NaN, -1]).datums[0]!.inputs['logprobs']).toEqual(Float32Array.of(0, -1));
  expect(() => plan([0], [-1, -1])).toThrow(/gradients has 1 numbers for 2 tokens/);
  expect(() => plan([0, 0], [-1, -1], 0)).toThrow(/sequencesInStep is 0 for 1 datums/);
});
