import { expect, test } from 'vitest';
import { toTable } from './collect-series.ts';
import { compareSeries } from './compare-series.ts';

const point = (series: string, step: number, value: number) => ({ series, step, value });
const table = toTable([point('a', 1, 0.1), point('b', 1, 2), point('b', 2, 3)]);

test('a point that is missing, more or different is told', () => {
  expect(compareSeries(table, table)).toEqual([]);
  expect(compareSeries(table, toTable([point('a', 1, 0.1), point('b', 1, 2)]))).toEqual(['b at step 2: 3 and nothing']);
  expect(compareSeries(toTable([point('a', 1, 1)]), toTable([point('a', 1, 2), point('c', 1, 1)]))).toEqual([
    'a at step 1: 1 and 2',
    'c at step 1: nothing and 1',
  ]);
});

test('a place of half the precision is compared in it', () => {
  const half = toTable([point('a', 1, Math.fround(0.1)), point('b', 1, 2), point('b', 2, 3)]);
  expect(compareSeries(table, half)).toHaveLength(1);
  expect(compareSeries(table, half, { toWanted: Math.fround })).toEqual([]);
});
