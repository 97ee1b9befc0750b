import { expect, test } from 'vitest';
import { chooseSample } from './choose-sample.ts';
import { createPythonRandom } from './create-python-random.ts';

// What Python 3.11 prints for random.seed(42); sorted(random.sample(range(rows), size)).
test('the sample is the one that Python draws with the same seed', () => {
  expect([...chooseSample({ rows: 10, percent: 30, random: createPythonRandom(42) })].sort((a, b) => a - b)).toEqual([
    0, 1, 4,
  ]);
  expect(
    [...chooseSample({ rows: 1_000, percent: 0.5, random: createPythonRandom(42) })].sort((a, b) => a - b),
  ).toEqual([25, 114, 281, 654, 759]);
});

test('there is at least one row in a sample, and never more than there are', () => {
  expect(chooseSample({ rows: 3, percent: 1, random: createPythonRandom(1) }).size).toBe(1);
  expect(chooseSample({ rows: 3, percent: 100, random: createPythonRandom(1) }).size).toBe(3);
  expect(chooseSample({ rows: 0, percent: 50, random: createPythonRandom(1) }).size).toBe(0);
});
