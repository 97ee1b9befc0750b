import { expect, test } from 'vitest';
import { countOutcomes, readCells } from './read-cells.ts';
import { makeRewardScale, shadeReward } from './shade-reward.ts';

const group = {
  rollouts: [0, 1, 1, 2],
  scores: [1, 0, 0, null],
  advantages: [0.5, -0.5, -0.5, null],
  lengths: [10, 20, 30, 40],
  left_out: [null, 'too-long', null, null],
  trained_tokens: [5, 0, 5, 0],
};

test('a rollout of several sequences is one cell', () => {
  expect(readCells(group).map(({ rollout, length, sequences }) => [rollout, length, sequences])).toEqual([
    [0, 10, 1],
    [1, 50, 2],
    [2, 40, 1],
  ]);
});

test('what has no score has a word of its own and no colour of the rewards', () => {
  const cells = readCells(group);
  expect(cells.map(({ outcome }) => outcome.word)).toEqual(['trained', 'too long', 'no score']);
  expect(countOutcomes(cells).map(({ count }) => count)).toEqual([1, 1, 1]);
  const scale = makeRewardScale(0, 1);
  expect(cells.map(({ score }) => shadeReward(score, scale))).toEqual(['reward-5', 'reward-0', 'reward-none']);
});

test('a scale goes further where rewards do', () => {
  expect(makeRewardScale(-2, 3)).toEqual({ low: -2, high: 3 });
  expect(shadeReward(0.5, makeRewardScale(null, null))).toBe('reward-3');
});
