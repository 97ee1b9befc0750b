import { expect, test } from 'vitest';

import { hasLearnt, hasUnlearnt } from './stop-rules.ts';

const steps = (...rewards: number[]): Record<string, number>[] => rewards.map((reward) => ({ 'reward/mean': reward }));

test('one good batch does not end a run, three do', () => {
  expect(hasLearnt(steps())).toBe(false);
  expect(hasLearnt(steps(1, 1))).toBe(false);
  expect(hasLearnt(steps(0.3, 0.5, 1))).toBe(false);
  expect(hasLearnt(steps(0.3, 0.92, 0.94, 0.95))).toBe(true);
});

test('a run has gone the other way when less than half of the first batch is left', () => {
  expect(hasUnlearnt(steps(0.3, 0.1))).toBe(false);
  expect(hasUnlearnt(steps(0.3, 0.2, 0.2, 0.2))).toBe(false);
  expect(hasUnlearnt(steps(0.3, 0.2, 0.1, 0.05, 0.05))).toBe(true);
  expect(hasUnlearnt(steps(0.3, Number.NaN, 0.05, 0.05))).toBe(false);
});
