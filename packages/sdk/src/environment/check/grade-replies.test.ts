import { expect, test } from 'vitest';
import { defineEnvironment } from '../define-environment.ts';
import { gradeReplies } from './grade-replies.ts';

const sums = defineEnvironment({
  name: 'sums',
  description: 'sums',
  items: {
    train: Array.from({ length: 30 }, (_, index) => ({ ask: `${index} + 1?`, answer: String(index + 1) })),
    evaluation: [{ ask: '100 + 1?', answer: '101' }],
  },
  formatPrompt: ({ ask }) => ask,
  computeReward: ({ answer }, { finalResponse }) => {
    if (finalResponse === 'break') throw new Error('no sandbox');
    return finalResponse === answer ? 1 : 0;
  },
  itemOf: ({ prompt, expected }) => (/\d/.test(expected) ? { ask: prompt, answer: expected } : undefined),
});

test('a prompt with its expected answer is a task, whoever wrote it', async () => {
  const graded = await gradeReplies({
    definition: sums,
    replies: [
      { prompt: 'seven and one?', response: '8', expected: '8' },
      { prompt: 'seven and one?', response: '9', expected: '8' },
      { prompt: '3 + 1?', response: '5', expected: '5' },
      { prompt: 'who?', response: 'you', expected: 'me' },
    ],
    signal: new AbortController().signal,
  });
  expect(graded.map(({ score }) => score)).toEqual([1, 0, 1, null]);
  expect(graded[3]?.reason).toContain('itemOf');
});

test('replies to tasks of the environment are scored, others are told apart', async () => {
  const graded = await gradeReplies({
    definition: sums,
    replies: [
      { prompt: ' 3 + 1?\n', response: '4' },
      { prompt: '100 + 1?', response: '7' },
      { prompt: 'who?', response: '7' },
      { prompt: '5 + 1?', response: 'break' },
    ],
    signal: new AbortController().signal,
  });
  expect(graded.map(({ score }) => score)).toEqual([1, 0, null, null]);
  expect(graded[2]?.reason).toContain('none of the first 1000 tasks');
  expect(graded[3]?.reason).toContain('no sandbox');
});
