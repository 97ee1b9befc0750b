import { expect, test } from 'vitest';

import { countToHalf, last } from './count-to-half.ts';

test('half of the fall is there when two batches have it as a mean', () => {
  // Seed 7486: after six steps, where a mutant was judged before, the honest run had hardly fallen.
  const distances = [3.17, 2.77, 2.79, 3.23, 2.82, 2.14, 1.43, 1.74, 1.54, 0.7, 0.09, 0.09];
  expect(countToHalf(distances)).toBe(8);
  expect(last(distances.slice(0, 6))).toBeCloseTo(2.48);
});

test('a run that does not fall has all its steps', () => {
  expect(countToHalf([3, 3.5, 3.5])).toBe(3);
  expect(last([3])).toBeNaN();
});
