import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSubsetSummingTo } from './find-subset-summing-to.ts';

it('takes from the front when that meets the target', () => {
  expect(findSubsetSummingTo([1, 3, 2, 1], 4)).toEqual([0, 1]);
});

it('prefers later groups when the front misses the target', () => {
  expect(findSubsetSummingTo([3, 3, 2, 2], 4)).toEqual([2, 3]);
});

it('finds nothing for a target that no groups make', () => {
  expect(findSubsetSummingTo([], 4)).toEqual([]);
  expect(findSubsetSummingTo([8, 8], 4)).toEqual([]);
  expect(findSubsetSummingTo([2, 2], 0)).toEqual([]);
  expect(findSubsetSummingTo([2, 2], -1)).toEqual([]);
  expect(findSubsetSummingTo([2, 2], 1e9)).toEqual([]);
});

it('finds a subset exactly when one exists', () => {
  const anySizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 });
  fc.assert(
    fc.property(anySizes, fc.integer({ min: 1, max: 24 }), (sizes, target) => {
      const sums = sizes.reduce(
        (reached, size) => new Set([...reached, ...[...reached].map((s) => s + size)]),
        new Set([0]),
      );
      const chosen = findSubsetSummingTo(sizes, target);
      expect(chosen.length > 0).toBe(sums.has(target));
      if (chosen.length > 0) expect(chosen.reduce((sum, index) => sum + (sizes[index] as number), 0)).toBe(target);
      expect(chosen).toEqual([...new Set(chosen)].sort((a, b) => a - b));
    }),
    { numRuns: 1000 },
  );
});
