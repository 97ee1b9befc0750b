import { expect, test } from 'vitest';
import { combineGrid, keepBetterHalf, planRungs } from './plan-sweep.ts';

test('a grid is every combination', () => {
  const points = combineGrid({ 'tinker.learning_rate': ['1e-4', '3e-4'], 'env.group_size': ['8', '16'] });
  expect(points.map(({ settings }) => Object.values(settings).join())).toEqual([
    '1e-4,8',
    '1e-4,16',
    '3e-4,8',
    '3e-4,16',
  ]);
  expect(combineGrid({})).toEqual([{ settings: {} }]);
});

test('halving judges where half of the points go on to twice the steps', () => {
  expect(planRungs({ points: 4, steps: 40, isHalving: true })).toEqual([10, 20, 40]);
  expect(planRungs({ points: 3, steps: 40, isHalving: true })).toEqual([10, 20, 40]);
  expect(planRungs({ points: 8, steps: 4, isHalving: true })).toEqual([1, 2, 4]);
  expect(planRungs({ points: 4, steps: 40, isHalving: false })).toEqual([40]);
  expect(planRungs({ points: 1, steps: 40, isHalving: true })).toEqual([40]);
});

test('the better half goes on; one that never had a number does not', () => {
  const scores = new Map([
    [0, 0.1],
    [1, 0.4],
    [2, undefined],
    [3, 0.4],
    [4, 0.2],
  ]);
  expect(keepBetterHalf(scores)).toEqual([1, 3, 4]);
  expect(
    keepBetterHalf(
      new Map([
        [0, 0.5],
        [1, 0.5],
      ]),
    ),
  ).toEqual([0]);
});
