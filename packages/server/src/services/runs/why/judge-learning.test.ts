import { expect, test } from 'vitest';
import { judgeLearning, type LearningStep } from './judge-learning.ts';

const steps = (from: number, rewards: readonly number[], deadGroups = 0): LearningStep[] =>
  rewards.map((reward, index) => ({ step: from + index, reward, groups: 4, deadGroups }));
const five = (reward: number): number[] => Array.from({ length: 5 }, () => reward);

test('a reward of nothing in every group is named, with the ways out', () => {
  const found = judgeLearning({ first: steps(1, five(0), 4), recent: steps(3, five(0), 4) });
  expect(found?.message).toContain('all replies of every group earned the same (reward 0.000)');
  expect(found?.hint).toContain('warm_up');
});

test('groups that all earn the same but something are either learned or collapsed', () => {
  const found = judgeLearning({ first: steps(1, five(0.2)), recent: steps(30, five(1), 4) });
  expect(found?.message).toContain('reward 1.000');
  expect(found?.hint).toContain('the task is learned');
});

test('a reward that has not moved after twenty steps is named with both figures', () => {
  const found = judgeLearning({ first: steps(1, five(0.03)), recent: steps(17, five(0.031)) });
  expect(found?.message).toContain('0.030 in its first 5 steps and is 0.031 in its last 5, after 21 steps');
});

test.each([
  ['a reward that rose', { first: steps(1, five(0.03)), recent: steps(30, five(0.4)) }],
  ['a flat one that is young', { first: steps(1, five(0.03)), recent: steps(8, five(0.03)) }],
  ['one group that differs', { first: steps(1, five(0), 4), recent: steps(3, five(0), 3) }],
  ['a run of four steps', { first: steps(1, [0, 0, 0, 0], 4), recent: steps(1, [0, 0, 0, 0], 4) }],
  ['steps without a group', { first: steps(1, five(0)), recent: steps(1, five(0)).map((s) => ({ ...s, groups: 0 })) }],
])('%s is left alone', (_, learning) => {
  expect(judgeLearning(learning)).toBeUndefined();
});
