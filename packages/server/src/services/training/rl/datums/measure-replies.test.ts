import { expect, test } from 'vitest';
import { makeGroup } from './group.fixture.ts';
import { measureReplies } from './measure-replies.ts';

const reply = (tokens: number[], logprob: number, prompt = [1, 2]) => ({
  tokens: [...prompt, ...tokens],
  logprobs: [...prompt.map(() => 1), ...tokens.map(() => logprob)],
  score: 0,
});

test('the most common reply is found across groups and prompts, and the entropy is estimated from what was sampled', () => {
  const groups = [
    makeGroup([reply([7, 7], -0.5), reply([7, 7], -0.5, [9])]),
    makeGroup([reply([7, 7], -0.5), reply([7, 8], -1.5)]),
  ];
  expect(measureReplies(groups)).toEqual({
    ...{ entropyEstimate: 0.75, mostCommonShare: 0.75 },
    lengths: Float64Array.of(2, 2, 2, 2),
  });
});

test('tokens in another order, and one more of them, are another reply', () => {
  const groups = [makeGroup([reply([7, 8], -1), reply([8, 7], -1), reply([7, 8, 8], -1), reply([7], -1)])];
  expect(measureReplies(groups).mostCommonShare).toBe(0.25);
});

test('a batch without replies says nothing', () => {
  expect(measureReplies([])).toEqual({
    ...{ entropyEstimate: undefined, mostCommonShare: undefined },
    lengths: new Float64Array(),
  });
});
