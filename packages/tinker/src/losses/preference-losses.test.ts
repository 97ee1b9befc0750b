import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createBradleyTerryLoss } from './bradley-terry-loss.ts';
import type { CustomLoss } from './custom-loss.ts';
import { createDpoLoss } from './dpo-loss.ts';
import { batchArbitrary, finiteDifferences, largestDifference, makeDatum } from './finite-differences.fixture.ts';
import type { GeneratedBatch } from './finite-differences.fixture.ts';
import { createIpoLoss } from './ipo-loss.ts';
import { createKtoLoss } from './kto-loss.ts';
import type { KtoLabel } from './kto-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { createSimpoLoss } from './simpo-loss.ts';

const rows = (...values: number[][]) => values.map((row) => Float64Array.from(row));
const kinds: KtoLabel[] = ['desirable', 'undesirable', 'mismatched'];

const losses: Record<string, (batch: GeneratedBatch) => CustomLoss> = {
  dpo: ({ reference }) => createDpoLoss({ reference, beta: 0.3 }),
  'dpo with label smoothing and a sum': ({ reference }) =>
    createDpoLoss({ reference, beta: 0.5, labelSmoothing: 0.2, reduction: 'sum' }),
  'dpo with shared datums': ({ reference }) =>
    createDpoLoss({
      reference,
      pairs: [
        { chosen: 0, rejected: 1 },
        { chosen: 1, rejected: 0 },
        { chosen: 0, rejected: 1 },
      ],
    }),
  ipo: ({ reference }) => createIpoLoss({ reference, beta: 0.4 }),
  'ipo over means': ({ reference }) => createIpoLoss({ reference, beta: 0.4, score: 'mean' }),
  simpo: () => createSimpoLoss({ beta: 2, gamma: 0.5 }),
  'bradley-terry': ({ datums }) => createBradleyTerryLoss({ margins: datums.map((_, index) => index / 10) }),
  'bradley-terry on the last token': () => createBradleyTerryLoss({ score: 'last', scale: 3 }),
  kto: ({ reference, datums }) =>
    createKtoLoss({
      reference,
      beta: 0.5,
      undesirableWeight: 1.3,
      referencePoint: 0.2,
      labels: datums.map((_, index) => kinds[index % 3]!),
    }),
};

test.each(Object.keys(losses))('the gradient of %s is what finite differences give', (name) => {
  fc.assert(
    fc.property(batchArbitrary({ multipleOf: 2 }), (batch) => {
      const loss = losses[name]!(batch);
      const { gradients } = loss(batch);
      expect(largestDifference(gradients, finiteDifferences({ loss, ...batch }))).toBeLessThan(1e-6);
    }),
    { numRuns: 60 },
  );
});

test('dpo gives the value and metrics of its formula', () => {
  const datums = [makeDatum(2, [0, 1]), makeDatum(2)];
  const loss = createDpoLoss({ reference: rows([-9, -2], [-1, -1]), beta: 0.5 });
  const result = loss({ datums, logprobs: rows([Number.NEGATIVE_INFINITY, -1], [-2, -1]) });
  // Log-ratios: chosen 1, rejected -1; so the loss is -log sigmoid(0.5 * 2).
  expect(result.loss).toBeCloseTo(Math.log(1 + Math.exp(-1)), 12);
  expect(result.metrics).toEqual({
    dpo_loss: result.loss,
    accuracy: 1,
    margin: 1,
    chosen_reward: 0.5,
    rejected_reward: -0.5,
  });
  const slope = 0.5 / (1 + Math.exp(1));
  expect(largestDifference(result.gradients, rows([0, -slope], [slope, slope]))).toBeLessThan(1e-12);
});

test('ipo draws the log-ratio difference to 1/(2 beta)', () => {
  const datums = [makeDatum(1), makeDatum(1)];
  const reference = rows([-3], [-3]);
  const at = (chosen: number) => createIpoLoss({ reference, beta: 0.25 })({ datums, logprobs: rows([chosen], [-3]) });
  expect([at(-1).loss, at(-1).gradients[0]![0]]).toEqual([0, 0]);
  expect(at(-2).loss).toBe(1);
});

test('simpo compares mean logprobs, so a longer answer is not worse for its length', () => {
  const datums = [makeDatum(4), makeDatum(1)];
  const { metrics, loss } = createSimpoLoss({ beta: 2, gamma: 0 })({ datums, logprobs: rows([-1, -1, -1, -1], [-1]) });
  expect([metrics['margin'], loss]).toEqual([0, Math.log(2)]);
});

test('bradley-terry with a margin asks for a win by that much', () => {
  const datums = [makeDatum(1), makeDatum(1)];
  const { loss } = createBradleyTerryLoss({ margins: [1.5] })({ datums, logprobs: rows([-1], [-2.5]) });
  expect(loss).toBeCloseTo(Math.log(2), 12);
});

test('kto compares with the mismatched datums, which take no gradient', () => {
  const datums = [makeDatum(1), makeDatum(1), makeDatum(1)];
  const reference = rows([-2], [-2], [-2]);
  const loss = createKtoLoss({ reference, beta: 1, labels: ['desirable', 'undesirable', 'mismatched'] });
  const above = loss({ datums, logprobs: rows([-1.5], [-1.5], [-1.5]) });
  expect([above.metrics['reference_point'], above.loss]).toEqual([0.5, 0.5]);
  expect(above.gradients.map(([value]) => value)).toEqual([-0.125, 0.125, 0]);
  const below = loss({ datums, logprobs: rows([-2], [-2], [-5]) });
  expect(below.metrics['reference_point']).toBe(0);
});

test('far from zero the losses stay finite and keep their slope', () => {
  const datums = [makeDatum(1), makeDatum(1)];
  const reference = rows([0], [0]);
  const { loss, gradients } = createDpoLoss({ reference, beta: 1 })({ datums, logprobs: rows([-5000], [0]) });
  expect([loss, gradients[0]![0], gradients[1]![0]]).toEqual([5000, -1, 1]);
});

test('what cannot be paired, weighed or compared is refused with its place', () => {
  const datums = [makeDatum(2), makeDatum(2)];
  const logprobs = rows([-1, -1], [-1, -1]);
  const cases: [() => unknown, RegExp][] = [
    [() => createDpoLoss({ reference: logprobs, beta: 0 }), /dpo: beta is 0; .* above 0/],
    [() => createDpoLoss({ reference: logprobs, labelSmoothing: 0.5 }), /labelSmoothing is 0.5/],
    [() => createDpoLoss({ reference: rows([-1, -1]) })({ datums, logprobs }), /reference has 1 arrays for 2 datums/],
    [
      () => createDpoLoss({ reference: rows([-1, -1], [-1]) })({ datums, logprobs }),
      /datum 1: reference has 1 numbers for 2 tokens/,
    ],
    [() => createSimpoLoss()({ datums: datums.slice(1), logprobs: logprobs.slice(1) }), /1 datums, .* alternate/],
    [() => createSimpoLoss({ pairs: [] })({ datums, logprobs }), /no pair/],
    [
      () => createSimpoLoss({ pairs: [{ chosen: 0, rejected: 2 }] })({ datums, logprobs }),
      /pair 0 names datums 0 and 2/,
    ],
    [
      () => createSimpoLoss()({ datums: [makeDatum(2, [0, 0]), makeDatum(2)], logprobs }),
      /datum 0: has weights that do not sum/,
    ],
    [
      () => createDpoLoss({ reference: logprobs })({ datums: [makeDatum(2, [1, Number.NaN]), makeDatum(2)], logprobs }),
      /datum 0: has a weight that is not finite/,
    ],
    [() => createBradleyTerryLoss({ margins: [] })({ datums, logprobs }), /pair 0 has no margin/],
    [
      () => createKtoLoss({ labels: ['desirable'], reference: logprobs })({ datums, logprobs }),
      /1 labels for 2 datums/,
    ],
    [
      () => createKtoLoss({ labels: ['mismatched', 'mismatched'], reference: logprobs })({ datums, logprobs }),
      /no desirable or undesirable/,
    ],
  ];
  for (const [act, message] of cases) expect(act).toThrow(message);
  expect(LossInputError.isInstance(new LossInputError({ loss: 'dpo', reason: 'x' }))).toBe(true);
  expect(LossInputError.isInstance(new Error('x'))).toBe(false);
});
