import { expect, test } from 'vitest';

import { compareCurves } from './compare-curves.ts';

const learning = [0.03, 0.03, 0.12, 0.35, 0.62, 0.85, 0.95, 0.97];

test('two curves that differ by less than a step are the same', () => {
  const later = [0.03, 0.04, 0.08, 0.22, 0.5, 0.75, 0.9, 0.96];
  expect(compareCurves(learning, later).isSame).toBe(true);
});

test('a curve that stays where it began is told apart', () => {
  expect(
    compareCurves(
      learning,
      learning.map(() => 0.03),
    ).isSame,
  ).toBe(false);
});

test('a curve that gets half as far, or three steps later, is told apart', () => {
  const halved = learning.map((reward) => reward / 2);
  expect(compareCurves(learning, halved).isSame).toBe(false);
  expect(compareCurves(learning, [0.03, 0.03, 0.03, 0.03, ...learning.slice(1, 5)]).isSame).toBe(false);
});
