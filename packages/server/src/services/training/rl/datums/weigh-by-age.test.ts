import { expect, test } from 'vitest';
import type { ConvertedBatch } from './convert-batch.ts';
import { weighByAge, type WeighByAgeOptions } from './weigh-by-age.ts';

const sequenceOf = (oldest: number | undefined) => ({
  datum: {
    tokens: Int32Array.of(1, 2),
    inputs: {
      target_tokens: Int32Array.of(2, 3),
      logprobs: Float32Array.of(-1, -1),
      advantages: Float32Array.of(2, 2),
      weights: Float32Array.of(1, 1),
    },
  },
  ...{ group: 0, sequence: 0, trainedTokens: 2 },
  versions: oldest === undefined ? undefined : { oldest, newest: Math.max(oldest, 9) },
});

const batchOf = (versions: readonly (number | undefined)[]): ConvertedBatch =>
  ({
    sequences: versions.map(sequenceOf),
    outlines: [],
    facts: { trainedTokens: 2 * versions.length, leftOut: { dead: 1 } },
  }) as unknown as ConvertedBatch;

const weigh = (
  versions: readonly (number | undefined)[],
  tinker: Partial<WeighByAgeOptions['recipe']['tinker']>,
  offPolicy = 3,
): ConvertedBatch =>
  weighByAge(batchOf(versions), {
    recipe: { env: { max_batches_offpolicy: offPolicy }, tinker },
    ...{ step: 4, policyVersion: 10 },
  });

const advantagesOf = ({ sequences }: ConvertedBatch): number[] =>
  sequences.map(({ datum }) => datum.inputs.advantages[0]!);

test('samples stay as they are unless somebody says how old they may be', () => {
  const batch = batchOf([1, undefined]);
  const options = { recipe: { env: { max_batches_offpolicy: 3 }, tinker: {} }, step: 1, policyVersion: 10 };
  expect(weighByAge(batch, options)).toBe(batch);
});

test('the oldest token of a sequence makes its age; what is too old is left out and counted', () => {
  const { sequences, facts } = weigh([10, 8, 7, undefined], { max_sample_age: 2 });
  expect(sequences.map(({ versions }) => versions?.oldest)).toEqual([10, 8, undefined]);
  expect(facts).toMatchObject({ trainedTokens: 6, leftOut: { dead: 1, 'too-old': 1 } });
});

test('or it weighs less the older it is', () => {
  const batch = weigh([10, 8, 7, 5], { max_sample_age: 2, old_samples: 'downweight' });
  expect(advantagesOf(batch)).toEqual([2, 2, 1, 0.5]);
  expect(batch.facts).toMatchObject({ trainedTokens: 8, downweighted: 2, leftOut: { dead: 1 } });
});

test('a strictly on-policy run takes nothing but what the newest weights sampled, whatever else is set', () => {
  const batch = weigh([10, 9], { max_sample_age: 5, old_samples: 'downweight' }, 0);
  expect(advantagesOf(batch)).toEqual([2]);
  expect(() => weigh([10, undefined], {}, 0)).toThrow(/step 4 do not say which policy sampled them/);
});
