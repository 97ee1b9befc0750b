import { describe, expect, it } from 'vitest';

import { findMedian, findQuantile, summarizeLatencies } from './quantiles.ts';

describe('quantiles', () => {
  it('are values that were measured', () => {
    const values = [40, 10, 30, 20];
    expect(findQuantile(values, 0.5)).toBe(20);
    expect(findQuantile(values, 0.99)).toBe(40);
    expect(findQuantile(values, 0)).toBe(10);
    expect(findMedian(values)).toBe(25);
    expect(findMedian([3, 1, 2])).toBe(2);
  });

  it('sort numbers as numbers and leave the list alone', () => {
    const values = [100, 9, 20];
    expect(summarizeLatencies(values)).toEqual({ count: 3, p50: 20, p90: 100, p99: 100, max: 100 });
    expect(values).toEqual([100, 9, 20]);
  });

  it('of nothing are NaN, which reaches no bar', () => {
    expect(findMedian([])).toBeNaN();
    expect(findQuantile([], 0.5)).toBeNaN();
    expect(summarizeLatencies([]).p99 <= 250).toBe(false);
  });
});
