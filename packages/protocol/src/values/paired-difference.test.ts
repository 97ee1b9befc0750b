import { expect, test } from 'vitest';
import { summariseDifferences } from './paired-difference.ts';
import { studentReach95 } from './student-t.ts';

test.each([
  [1, 12.7062],
  [2, 4.3027],
  [3, 3.1824],
  [9, 2.2622],
  [19, 2.093],
  [30, 2.0423],
  [100, 1.984],
  [100_000, 1.96],
])('with %i degrees of freedom 95 %% lie within %f standard errors', (degrees, reach) => {
  expect(studentReach95(degrees)).toBeCloseTo(reach, 3);
});

test('the interval of few differences is wider than the normal one', () => {
  const { difference, interval, rightBetter, leftBetter } = summariseDifferences([1, 0, 1, 0, -1]);
  expect(difference).toBeCloseTo(0.2);
  // scipy.stats.ttest_rel gives this interval; 1.96 standard errors would be −0.53 to 0.93.
  expect(interval[0]).toBeCloseTo(-0.8388, 3);
  expect(interval[1]).toBeCloseTo(1.2388, 3);
  expect([rightBetter, leftBetter]).toEqual([2, 1]);
  expect(summariseDifferences([1]).interval.every(Number.isNaN)).toBe(true);
  expect(summariseDifferences([])).toMatchObject({ items: 0, difference: 0 });
});
