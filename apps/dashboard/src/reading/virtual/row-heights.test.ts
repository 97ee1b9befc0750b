import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEvenHeights, createMeasuredHeights } from './row-heights.ts';

test('sums and places are those of a plain list, whatever was measured since', () => {
  const change = fc.record({ at: fc.nat(200), height: fc.integer({ min: 1, max: 500 }) });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 200 }),
      fc.array(change),
      (guesses, changes) => {
        const plain = [...guesses];
        const heights = createMeasuredHeights(guesses.length, (index) => guesses[index] ?? 0);
        for (const { at, height } of changes) {
          if (at >= plain.length) continue;
          plain[at] = height;
          heights.set(at, height);
        }
        let offset = 0;
        for (const [index, height] of plain.entries()) {
          expect(heights.offsetOf(index)).toBe(offset);
          expect(heights.indexAt(offset)).toBe(index);
          expect(heights.indexAt(offset + height - 0.5)).toBe(index);
          offset += height;
        }
        expect(heights.total).toBe(offset);
        expect(heights.indexAt(offset + 1_000)).toBe(plain.length - 1);
      },
    ),
  );
});

test('even rows need no table', () => {
  const heights = createEvenHeights(1_000_000, 36);
  expect(heights.total).toBe(36_000_000);
  expect(heights.indexAt(35_999_999)).toBe(999_999);
  expect(heights.indexAt(-5)).toBe(0);
});
