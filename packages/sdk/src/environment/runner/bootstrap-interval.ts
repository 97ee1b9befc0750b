import { mean } from '@lachesis/protocol';
import type { Random } from '../create-random.ts';

/** The 2.5 % ends move by less than a hundredth of the interval's width from one seed to the next. */
const RESAMPLES = 2_000;

/**
 * The middle 95 % of the mean when the tasks are drawn anew, with replacement. Of several lists each is drawn by itself, and the
 * mean is that of their means. Undefined below two tasks in a list: one task says nothing about others.
 */
export function bootstrapInterval(
  lists: readonly (readonly number[])[],
  random: Random,
): readonly [number, number] | undefined {
  if (lists.length === 0 || lists.some((values) => values.length < 2)) return undefined;
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(
      lists.map((values) => {
        let sum = 0;
        for (let drawn = 0; drawn < values.length; drawn += 1) sum += values[random.integer(0, values.length - 1)] ?? 0;
        return sum / values.length;
      }),
    ),
  ).toSorted((left, right) => left - right);
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0];
}
