import { expect, test } from 'vitest';
import { findWords, listWords } from './find-words.ts';

const text = 'The Server at /srv/a-b.log answered 12345, ŻÓŁĆ won; no one, server again: naïve\n';

test('words have four characters or more and are in lower case', () => {
  expect(listWords(text)).toEqual(['server', '/srv/a-b.log', 'answered', '12345', 'żółć', 'server', 'again', 'naïve']);
});

test('every word of a text is found in it, the last one too', () => {
  const words = new Set(listWords(text));
  expect(findWords(text, words)).toEqual(words);
  expect(findWords(text.trim(), words)).toEqual(words);
});

test('parts of words and absent ones are not found', () => {
  expect(findWords(text, new Set(['serv', 'swer', '1234', 'absent', 'again']))).toEqual(new Set(['again']));
  expect(findWords('', new Set(['again']))).toEqual(new Set());
});

test('finds what listing every word finds, whatever words share a number', () => {
  const many = Array.from({ length: 9_000 }, (_, at) => `word${(at * 7_919) % 10_007}`);
  const wanted = new Set(Array.from({ length: 5_000 }, (_, at) => `word${at * 2}`));
  const listed = new Set(many.filter((word) => wanted.has(word)));
  expect(findWords(many.join(' '), wanted)).toEqual(listed);
});
