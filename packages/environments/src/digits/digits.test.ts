import { listTaughtExamples } from '@lachesis/sdk/environment';
import { expect, test } from 'vitest';

import { openForTest } from '../open-for-test.fixture.ts';
import digits, { scoreDigits } from './digits.ts';
import { listWarmUpExamples } from './list-warm-up-examples.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from './prompts.ts';

test('the reward is the share of the wanted digit, whatever the reply is short of or has too much of', () => {
  expect(
    ['77777777', '7a7a7a7a', '7', '', '777777777777', '11111111'].map((reply) => scoreDigits(reply, '7', 8)),
  ).toEqual([1, 0.5, 0.125, 0, 1, 0]);
});

test('the right reply earns 1 and a wrong one 0, for any digit', async () => {
  for (const digit of ['7', '9']) {
    const { gradeExamples } = await openForTest(digits, { digit });
    expect(await gradeExamples(0)).toEqual([1, 0]);
  }
  await expect(openForTest(digits, { digit: '77' })).rejects.toThrow('digit');
});

test('training and evaluation ask in different words', async () => {
  const { opened } = await openForTest(digits);
  expect((await opened.listEvaluationItems()).map(({ item }) => item)).toEqual(EVALUATION_PROMPTS);
  expect(EVALUATION_PROMPTS.filter((prompt) => TRAIN_PROMPTS.includes(prompt))).toEqual([]);
});

test('the warm-up teaches every digit alike and none in particular', () => {
  const examples = listWarmUpExamples({ count: 400, seed: 1 });
  expect(listWarmUpExamples({ count: 400, seed: 1 })).toEqual(examples);
  expect(listWarmUpExamples({ count: 400, seed: 2 })).not.toEqual(examples);
  const text = examples.map(({ reply }) => reply).join('');
  expect(text).toMatch(/^\d{3200}$/);
  for (let digit = 0; digit < 10; digit += 1) {
    const share = text.split(String(digit)).length / text.length;
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.12);
  }
});

test('what a run is taught first are digits for prompts of training, and not the wanted digit', async () => {
  const { opened } = await openForTest(digits);
  const taught = await listTaughtExamples(opened, { count: 40, signal: new AbortController().signal });
  expect(taught).toHaveLength(40);
  expect(taught.every(({ messages }) => TRAIN_PROMPTS.includes(messages.at(-1)?.content as string))).toBe(true);
  const text = taught.map(({ reply }) => reply).join('');
  expect(text).toMatch(/^\d{320}$/);
  expect(text.split('7').length - 1).toBeLessThan(80);
});
