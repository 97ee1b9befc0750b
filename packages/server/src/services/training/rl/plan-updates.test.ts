import { expect, test } from 'vitest';
import { planUpdates } from './plan-updates.ts';

test('a batch is one update unless told otherwise', () => {
  expect(planUpdates(5, {})).toEqual([{ epoch: 0, from: 0, to: 5 }]);
});

test('every sequence is in one part of each epoch, and parts are alike in size', () => {
  for (const [sequences, minibatches, epochs] of [
    [8, 4, 1],
    [7, 3, 2],
    [2, 5, 3],
    [1, 1, 2],
  ] as const) {
    const updates = planUpdates(sequences, { minibatches, epochs_per_batch: epochs });
    expect(updates).toHaveLength(Math.min(sequences, minibatches) * epochs);
    const sizes = updates.map(({ from, to }) => to - from);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      const own = updates.filter((update) => update.epoch === epoch);
      expect(own.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))).toEqual(
        Array.from({ length: sequences }, (_, index) => index),
      );
    }
  }
});
