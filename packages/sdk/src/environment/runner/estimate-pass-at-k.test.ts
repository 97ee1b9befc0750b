import { expect, test } from 'vitest';
import { estimatePassAtK } from './estimate-pass-at-k.ts';

/** The share of all choices of `k` samples in which one is right. */
function enumerate(samples: number, correct: number, k: number): number {
  let [all, passing] = [0, 0];
  for (let chosen = 0; chosen < 2 ** samples; chosen += 1) {
    const bits = Array.from({ length: samples }, (_, place) => (chosen >> place) & 1);
    if (bits.reduce((sum, bit) => sum + bit, 0) !== k) continue;
    all += 1;
    if (bits.slice(0, correct).includes(1)) passing += 1;
  }
  return passing / all;
}

test('is the share of all choices of k samples in which one is right', () => {
  for (let samples = 1; samples <= 8; samples += 1) {
    for (let correct = 0; correct <= samples; correct += 1) {
      for (let k = 1; k <= samples; k += 1) {
        expect(estimatePassAtK({ samples, correct, k })).toBeCloseTo(enumerate(samples, correct, k), 12);
      }
    }
  }
});

test('is what one calculates by hand', () => {
  // 1 − C(3, 2) / C(5, 2) = 1 − 3 / 10.
  expect(estimatePassAtK({ samples: 5, correct: 2, k: 2 })).toBeCloseTo(0.7, 15);
  // 1 − C(9, 5) / C(10, 5) = 1 − 126 / 252.
  expect(estimatePassAtK({ samples: 10, correct: 1, k: 5 })).toBeCloseTo(0.5, 15);
  expect(estimatePassAtK({ samples: 4, correct: 0, k: 4 })).toBe(0);
});

test('has no number where fewer than k were drawn, and stays in range where binomials do not', () => {
  expect(estimatePassAtK({ samples: 3, correct: 3, k: 4 })).toBeUndefined();
  const value = estimatePassAtK({ samples: 5_000, correct: 1, k: 2_500 });
  expect(value).toBeCloseTo(0.5, 12);
});
