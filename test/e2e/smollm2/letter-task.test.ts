import { expect, test } from 'vitest';

import { LETTERS, makeLetterTask, scoreWords } from './letter-task.ts';

test('each letter has one prompt that training never has, and the seed decides which', () => {
  const { train, heldOut } = makeLetterTask(1);
  expect(heldOut.map(({ letter }) => letter)).toEqual([...LETTERS]);
  expect(train).toHaveLength(20);
  const trained = new Set(train.map(({ prompt }) => prompt));
  expect(heldOut.filter(({ prompt }) => trained.has(prompt))).toEqual([]);
  expect(makeLetterTask(1)).toEqual({ train, heldOut });
  expect(makeLetterTask(2).heldOut).not.toEqual(heldOut);
});

test('a reply earns the share of its words, and one word is not enough', () => {
  expect(scoreWords('Sun, sea, sand, sky', 's')).toBe(1);
  expect(scoreWords('Sun, sea, sand, sky', 'b')).toBe(0);
  expect(scoreWords('Sun', 's')).toBe(0.25);
  expect(scoreWords('', 's')).toBe(0);
  expect(scoreWords('a sun over the sea', 's')).toBe(0.4);
});
