import { expect, test } from 'vitest';
import { areFinite, areIdsBelow, areWideIdsBelow } from './scan-values.ts';

const lengths = [0, 1, 2, 3, 4, 5, 7, 8, 9];

test.each(lengths)('a wrong value is seen at every place of %i values', (length) => {
  expect(areIdsBelow(new Int32Array(length), 1)).toBe(true);
  expect(areWideIdsBelow(new BigInt64Array(length), 1)).toBe(true);
  expect(areFinite(new Float32Array(length))).toBe(true);
  for (let place = 0; place < length; place += 1) {
    for (const wrong of [10, 2 ** 31 - 1, -1, -(2 ** 31)]) {
      expect(
        areIdsBelow(
          Int32Array.from({ length }, (_, index) => (index === place ? wrong : 9)),
          10,
        ),
      ).toBe(false);
    }
    for (const wrong of [10n, -1n, 2n ** 32n, 2n ** 31n, -(2n ** 63n)]) {
      const ids = BigInt64Array.from({ length }, (_, index) => (index === place ? wrong : 9n));
      expect(areWideIdsBelow(ids, 10)).toBe(false);
    }
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const values = Float32Array.from({ length }, (_, index) => (index === place ? wrong : -1));
      expect(areFinite(values)).toBe(false);
    }
  }
});

test('the edges of what is right are right', () => {
  expect(areIdsBelow(Int32Array.of(0, 2 ** 31 - 1), 2 ** 31)).toBe(true);
  expect(areIdsBelow(Int32Array.of(-1), 2 ** 31)).toBe(false);
  expect(areWideIdsBelow(BigInt64Array.of(0n, 2n ** 31n - 1n), 2 ** 31)).toBe(true);
  expect(areWideIdsBelow(BigInt64Array.of(2n ** 31n), 2 ** 31)).toBe(false);
  // The largest, the smallest above nothing, and both zeros.
  expect(areFinite(Float32Array.of(3.4028234e38, -3.4028234e38, 1e-45, 0, -0))).toBe(true);
});

test('more than a page is looked at to its end, wherever it lies, and nothing of what was there before', () => {
  // Not a whole number of what is looked at together, behind an odd place of its memory.
  const length = 3 * 16_384 + 3;
  const ids = new Int32Array(length + 1).subarray(1);
  const wide = new BigInt64Array(length + 1).subarray(1);
  const values = new Float32Array(length + 1).subarray(1);
  for (const place of [0, 16_383, 16_384, 32_768, length - 4, length - 1]) {
    expect([areIdsBelow(ids, 9), areWideIdsBelow(wide, 9), areFinite(values)]).toEqual([true, true, true]);
    [ids[place], wide[place], values[place]] = [9, 9n, Number.NaN];
    expect([areIdsBelow(ids, 9), areWideIdsBelow(wide, 9), areFinite(values)]).toEqual([false, false, false]);
    [ids[place], wide[place], values[place]] = [0, 0n, 0];
    expect([areIdsBelow(new Int32Array(1), 9), areFinite(new Float32Array(3))]).toEqual([true, true]);
  }
});
