import { expect, test } from 'vitest';
import { findContamination } from './find-contamination.ts';

const name = (texts: readonly string[], prefix: string) =>
  texts.map((text, index) => ({ key: `${prefix}-${index}`, text }));

const find = async (evaluation: readonly string[], training: readonly string[]) =>
  await findContamination({ evaluation: name(evaluation, 'eval'), training: name(training, 'train') });

const STORY = 'A farmer has seventeen sheep and all but nine run away through the gate at night. How many are left?';

test('an item of training is found, whatever its case and punctuation', async () => {
  const { items, compared } = await find(['What is 2 + 2?', 'What is 3 + 4?'], ['nothing', 'what is 3, 4']);
  expect(compared).toBe(2);
  expect(items).toEqual([{ key: 'eval-1', twin: 'train-1', isExact: true, share: 1 }]);
});

test('an item that stands in a longer text is found by its runs of words, with how much of it', async () => {
  const { items } = await find(
    ['Something else that is asked here once and never again', STORY],
    [`Task: ${STORY} Think.`],
  );
  expect(items).toEqual([{ key: 'eval-1', twin: 'train-0', isExact: false, share: 1 }]);
  const half = await find([STORY], [STORY.split(' ').slice(0, 8).join(' ')]);
  expect(half.items).toEqual([]);
});

test('what all items are asked with is no contamination', async () => {
  const ask = (word: string) => `Please answer the following question with one word and nothing else at all: ${word}`;
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
  const { items } = await find(
    words.map((word) => ask(word)),
    ['other', 'word3'].map((word) => ask(word)),
  );
  expect(items.map(({ key }) => key)).toEqual(['eval-3']);
});
