import { expect, test } from 'vitest';

import { bootstrapGain } from './bootstrap-gain.ts';

const repeat = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

test('a gain on every combination has an interval above 0', () => {
  const gain = bootstrapGain({
    before: repeat(0, 6).map(() => [...repeat(1, 4), ...repeat(0, 12)]),
    after: repeat(0, 6).map(() => [...repeat(1, 14), ...repeat(0, 2)]),
    seed: 1,
  });
  expect(gain.mean).toBeCloseTo(0.625);
  expect(gain.low).toBeGreaterThan(0.4);
  expect(gain.high).toBeLessThan(0.8);
});

test('a gain on one combination of six may be chance', () => {
  const before = repeat(0, 6).map(() => repeat(0, 16));
  expect(bootstrapGain({ before, after: [repeat(1, 16), ...before.slice(1)], seed: 1 }).low).toBe(0);
});

test('the same twice has an interval around 0', () => {
  const same = repeat(0, 6).map((_, index) =>
    Array.from({ length: 16 }, (_unused, at) => Number((at + index) % 3 === 0)),
  );
  const gain = bootstrapGain({ before: same, after: same, seed: 2 });
  expect(gain.mean).toBe(0);
  expect(gain.low).toBeLessThan(0);
  expect(gain.high).toBeGreaterThan(0);
});

test('combinations that are not the same before and after are refused', () => {
  expect(() => bootstrapGain({ before: [[1]], after: [], seed: 1 })).toThrow('1 combinations before and 0 after');
});
