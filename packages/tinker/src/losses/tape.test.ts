import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createDpoLoss } from './dpo-loss.ts';
import { batchArbitrary, finiteDifferences, largestDifference, makeDatum } from './finite-differences.fixture.ts';
import { createTapeLoss } from './tape-loss.ts';
import { createTape } from './tape.ts';
import type { Tape, TapeValue } from './tape.ts';

/** Expressions that use every operation; `b` is another array of the same length. */
const expressions: Record<string, (tape: Tape, a: TapeValue, b: TapeValue) => TapeValue> = {
  'add and sum': (tape, a, b) => tape.sum(tape.add(a, tape.mul(b, 2))),
  'sub and mean': (tape, a, b) => tape.mean(tape.sub(tape.mul(a, a), b)),
  'neg and exp': (tape, a) => tape.sum(tape.exp(tape.neg(tape.mul(a, 0.2)))),
  log: (tape, a) => tape.sum(tape.log(tape.mul(a, a))),
  sigmoid: (tape, a, b) => tape.sum(tape.sigmoid(tape.mul(a, b))),
  logSigmoid: (tape, a, b) => tape.mean(tape.logSigmoid(tape.sub(a, b))),
  'masked sum': (tape, a) => tape.maskedSum(tape.mul(a, a), new Float64Array(a.values.length).fill(1, 0, 1)),
  clamp: (tape, a) => tape.sum(tape.clamp(tape.mul(a, a), 4, 30)),
  min: (tape, a, b) => tape.sum(tape.min(a, tape.mul(b, b))),
  'scalar against array': (tape, a, b) => tape.sum(tape.mul(tape.sum(a), tape.sub(tape.mean(b), a))),
  'clipped ratio': (tape, a, b) => {
    const ratio = tape.exp(tape.sub(a, b));
    return tape.neg(tape.sum(tape.min(tape.mul(ratio, 0.7), tape.mul(tape.clamp(ratio, 0.8, 1.2), 0.7))));
  },
};

test.each(Object.keys(expressions))('the tape differentiates %s as finite differences do', (name) => {
  const loss = createTapeLoss(({ tape, logprobs }) => ({
    loss: logprobs
      .map((row) => expressions[name]!(tape, row, tape.constant(Float64Array.from(row.values, (_, at) => -1.1 - at))))
      .reduce((left, right) => tape.add(left, right)),
  }));
  fc.assert(
    fc.property(batchArbitrary(), (batch) => {
      const { gradients } = loss(batch);
      const numeric = finiteDifferences({ loss, ...batch, step: 1e-6 });
      // A kink within one step of a point has no derivative to compare with.
      const smooth = finiteDifferences({ loss, ...batch, step: 2e-6 });
      fc.pre(largestDifference(numeric, smooth) < 1e-3);
      expect(largestDifference(gradients, numeric)).toBeLessThan(1e-4);
    }),
    { numRuns: 60 },
  );
});

test('dpo written on the tape equals its closed form', () => {
  fc.assert(
    fc.property(batchArbitrary({ multipleOf: 2 }), ({ datums, logprobs, reference }) => {
      const taped = createTapeLoss(({ tape, logprobs: rows }) => {
        const ratios = rows.map((row, index) =>
          tape.maskedSum(
            tape.sub(row, tape.constant(reference[index]!)),
            datums[index]!.inputs['weights'] as Float32Array,
          ),
        );
        const terms = Array.from({ length: rows.length / 2 }, (_, pair) =>
          tape.neg(tape.logSigmoid(tape.mul(tape.sub(ratios[2 * pair]!, ratios[2 * pair + 1]!), 0.1))),
        );
        return {
          loss: tape.mul(
            terms.reduce((left, right) => tape.add(left, right)),
            1 / terms.length,
          ),
        };
      })({ datums, logprobs });
      const closed = createDpoLoss({ reference })({ datums, logprobs });
      expect(taped.loss).toBeCloseTo(closed.loss, 10);
      expect(largestDifference(taped.gradients, closed.gradients)).toBeLessThan(1e-12);
    }),
    { numRuns: 60 },
  );
});

test('a value used twice gathers both gradients, and a detached one none', () => {
  const tape = createTape();
  const x = tape.variable([3]);
  const output = tape.add(tape.mul(x, x), tape.mul(tape.detach(x), x));
  expect(tape.gradients(output, [x])).toEqual([Float64Array.of(9)]);
  expect(tape.gradients(output, [x])).toEqual([Float64Array.of(9)]);
});

test('equal sides of a min share the gradient, and a clamp passes it at its bounds', () => {
  const tape = createTape();
  const [a, b] = [tape.variable([2, 1]), tape.variable([2, 5])];
  expect(tape.gradients(tape.sum(tape.min(a, b)), [a, b])).toEqual([Float64Array.of(0.5, 1), Float64Array.of(0.5, 0)]);
  expect(tape.gradients(tape.sum(tape.clamp(a, 1, 1.5)), [a])).toEqual([Float64Array.of(0, 1)]);
});

test('a masked token may be -Infinity without harm', () => {
  const tape = createTape();
  const a = tape.variable([Number.NEGATIVE_INFINITY, -1]);
  const output = tape.maskedSum(tape.mul(tape.log(tape.neg(a)), tape.exp(a)), [0, 1]);
  const [gradient] = tape.gradients(output, [a]);
  expect([output.values[0], gradient![0]]).toEqual([0, 0]);
  expect(Number.isFinite(gradient![1])).toBe(true);
});

test('a loss takes metrics along and refuses what has no gradient', () => {
  const datums = [makeDatum(2)];
  const logprobs = [Float64Array.of(-1, -2)];
  const loss = createTapeLoss(({ tape, logprobs: [row] }) => ({ loss: tape.sum(row!), metrics: { seen: 2 } }));
  expect(loss({ datums, logprobs })).toEqual({ loss: -3, gradients: [Float64Array.of(1, 1)], metrics: { seen: 2 } });

  const other = createTape().variable([1]);
  expect(() => createTapeLoss(({ logprobs: [row] }) => ({ loss: row! }))({ datums, logprobs })).toThrow(/2 numbers/);
  expect(() => createTapeLoss(({ tape }) => ({ loss: tape.neg(other) }))({ datums, logprobs })).toThrow(/another tape/);
  const tape = createTape();
  expect(() => tape.add(tape.variable([1, 2]), tape.variable([1, 2, 3]))).toThrow(/arrays of 2 and 3/);
  expect(() => tape.maskedSum(tape.variable([1]), [1, 0])).toThrow(/mask of 2/);
  expect(() => tape.mean(tape.variable([]))).toThrow(/empty/);
  expect(() => tape.clamp(1, 2, 1)).toThrow(/clamp from 2 to 1/);
});
