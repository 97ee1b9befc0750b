import { expect, test } from 'vitest';
import { describeDistribution } from './distribution.ts';

test('quantiles lie between the nearest values', () => {
  const found = describeDistribution(Float64Array.of(4, 1, 3, 2, 5));
  expect(found?.quantiles).toEqual({ p05: 1.2, p25: 2, p50: 3, p75: 4, p95: 4.8 });
});

test('every value is in one part, the largest too', () => {
  const { edges, counts, sum, squares } = describeDistribution(Float64Array.of(0, 0.5, 1, 1))!.histogram;
  expect([edges[0], edges.at(-1), edges.length, counts.length]).toEqual([0, 1, 31, 30]);
  expect([counts[0], counts[15], counts[29]]).toEqual([1, 1, 2]);
  expect([sum, squares]).toEqual([2.5, 2.25]);
});

test('equal values have a range around them, and nothing has none', () => {
  expect(describeDistribution(Float64Array.of(2, 2))?.histogram).toMatchObject({ sum: 4 });
  expect(describeDistribution(Float64Array.of())).toBeUndefined();
  expect(describeDistribution(Float64Array.of(1, Number.NaN))).toBeUndefined();
});
