import fc from 'fast-check';

import type { Datum } from '../codec/datum.ts';
import type { CustomLoss } from './custom-loss.ts';

/** A datum with n tokens, and weights when given. */
export function makeDatum(length: number, weights?: ArrayLike<number>): Datum {
  return {
    tokens: new Int32Array(length).fill(1),
    inputs: {
      target_tokens: new Int32Array(length).fill(2),
      ...(weights === undefined ? {} : { weights: Float32Array.from(weights) }),
    },
  };
}

/** d loss / d logprob by central differences. */
export function finiteDifferences({
  loss,
  logprobs,
  datums,
  step = 1e-5,
}: {
  loss: CustomLoss;
  logprobs: readonly Float64Array[];
  datums: readonly Datum[];
  step?: number;
}): Float64Array[] {
  return logprobs.map((row, datum) =>
    row.map((_, token) => {
      const at = (shift: number) => {
        const moved = logprobs.map((values) => values.slice());
        moved[datum]![token]! += shift;
        return loss({ logprobs: moved, datums }).loss;
      };
      return (at(step) - at(-step)) / (2 * step);
    }),
  );
}

/** The largest difference between two sets of gradients, relative to the larger of 1 and their size. */
export function largestDifference(left: readonly Float64Array[], right: readonly Float64Array[]): number {
  return Math.max(
    0,
    ...left.flatMap((row, datum) =>
      [...row].map((value, token) => {
        const other = right[datum]![token]!;
        return Math.abs(value - other) / Math.max(1, Math.abs(value), Math.abs(other));
      }),
    ),
  );
}

const logprob = fc.double({ min: -8, max: -0.01, noNaN: true });

export interface GeneratedBatch {
  datums: Datum[];
  logprobs: Float64Array[];
  reference: Float64Array[];
}

/** A batch of sequences with mask weights (the first token always counts) and two sets of logprobs. */
export const batchArbitrary = ({ multipleOf = 1 }: { multipleOf?: number } = {}): fc.Arbitrary<GeneratedBatch> => {
  const sequence = fc.integer({ min: 1, max: 5 }).chain((length) =>
    fc.record({
      mask: fc.array(fc.constantFrom(0, 1, 0.5), { minLength: length, maxLength: length }),
      own: fc.array(logprob, { minLength: length, maxLength: length }),
      other: fc.array(logprob, { minLength: length, maxLength: length }),
    }),
  );
  return fc
    .integer({ min: 1, max: 3 })
    .chain((count) => fc.array(sequence, { minLength: count * multipleOf, maxLength: count * multipleOf }))
    .map((sequences) => ({
      datums: sequences.map(({ mask }) => makeDatum(mask.length, [1, ...mask.slice(1)])),
      logprobs: sequences.map(({ own }) => Float64Array.from(own)),
      reference: sequences.map(({ other }) => Float64Array.from(other)),
    }));
};
