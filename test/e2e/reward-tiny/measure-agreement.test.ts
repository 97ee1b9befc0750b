import { expect, test } from 'vitest';

import { measureAgreement } from './measure-agreement.ts';

test('agreement with ratings is the order, ties aside', () => {
  expect(measureAgreement([1, 2, 3], [0.1, 0.5, 0.9])).toBe(1);
  expect(measureAgreement([3, 2, 1], [0.1, 0.5, 0.9])).toBe(-1);
  expect(measureAgreement([1, 2, 3], [0.5, 0.5, 0.5])).toBe(0);
  expect(measureAgreement([1, 2, 3, 4], [0, 0, 1, 1])).toBeCloseTo(4 / Math.sqrt(24));
});
