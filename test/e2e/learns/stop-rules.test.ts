import { expect, test } from 'vitest';

import { countToWanted, hasLearnt, hasUnlearnt } from './stop-rules.ts';

const steps = (...rewards: number[]): Record<string, number>[] => rewards.map((reward) => ({ 'reward/mean': reward }));

test('one good batch does not end a run, three do', () => {
  expect(hasLearnt(steps())).toBe(false);
  expect(hasLearnt(steps(1, 1))).toBe(false);
  expect(hasLearnt(steps(0.3, 0.5, 1))).toBe(false);
  expect(hasLearnt(steps(0.3, 0.94, 0.96, 0.97))).toBe(true);
});

test('a run has gone the other way when less than half of the first batch is left', () => {
  expect(hasUnlearnt(steps(0.3, 0.1))).toBe(false);
  expect(hasUnlearnt(steps(0.3, 0.2, 0.2, 0.2))).toBe(false);
  expect(hasUnlearnt(steps(0.3, 0.2, 0.1, 0.05, 0.05))).toBe(true);
  expect(hasUnlearnt(steps(0.3, Number.NaN, 0.05, 0.05))).toBe(false);
});

test('what is asked for is there when three batches earned it as a mean, else at the end', () => {
  expect(countToWanted(steps(0.3, 0.5, 0.75, 0.8, 0.9, 0.9), 0.8)).toBe(5);
  expect(countToWanted(steps(0.3, 0.9), 0.8)).toBe(2);
});
