import { createRandom } from '@lachesis/sdk/environment';

export interface Gain {
  readonly mean: number;
  /** Between these nineteen of twenty draws lie. */
  readonly low: number;
  readonly high: number;
}

const DRAWS = 2_000;

/**
 * The gain in reward with its interval: combinations are drawn with replacement, and of each its replies before and after.
 * Combinations come first because replies to the same one are alike.
 */
export function bootstrapGain(options: {
  /** By combination, the rewards of its replies. */
  before: readonly (readonly number[])[];
  after: readonly (readonly number[])[];
  seed: number;
}): Gain {
  const { before, after, seed } = options;
  if (before.length !== after.length || before.length === 0) {
    throw new Error(
      `there are ${before.length} combinations before and ${after.length} after; give the same, and some`,
    );
  }
  const random = createRandom('bootstrap', seed);
  const drawMean = (values: readonly number[]): number => mean(values.map(() => random.pick(values)));
  const draws = Array.from({ length: DRAWS }, () =>
    mean(
      before.map(() => {
        const at = random.integer(0, before.length - 1);
        return drawMean(after[at] ?? []) - drawMean(before[at] ?? []);
      }),
    ),
  ).toSorted((left, right) => left - right);
  const at = (share: number): number => draws[Math.round(share * (DRAWS - 1))] ?? Number.NaN;
  return { mean: mean(after.map(mean)) - mean(before.map(mean)), low: at(0.025), high: at(0.975) };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
