import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countShared } from './count-shared.ts';
import { diffWords, type WordPart } from './diff-words.ts';

const sideOf = (parts: readonly WordPart[], kind: 'left' | 'right'): string =>
  parts.flatMap((part) => (part.kind === 'same' || part.kind === kind ? [part.text] : [])).join('');

test('each side can be read off the parts, to the last character', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ' ', 'ccc', '\n', '.', 'é', '名'), { maxLength: 60 })
    .map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (left, right) => {
      const { parts } = diffWords(left, right);
      expect(sideOf(parts, 'left')).toBe(left);
      expect(sideOf(parts, 'right')).toBe(right);
    }),
  );
});

test('a word that changed is the only difference', () => {
  expect(diffWords('the cat sat', 'the dog sat').parts).toEqual([
    { kind: 'same', text: 'the ' },
    { kind: 'left', text: 'cat' },
    { kind: 'right', text: 'dog' },
    { kind: 'same', text: ' sat' },
  ]);
});

test('texts without anything in common are told as a whole, soon', () => {
  const makeText = (word: string): string => Array.from({ length: 40_000 }, (_, index) => `${word}${index}`).join(' ');
  const [left, right] = [makeText('a'), makeText('b')];
  const startedAt = performance.now();
  const diff = diffWords(left, right);
  expect(diff.isCutShort).toBe(true);
  expect(sideOf(diff.parts, 'left')).toBe(left);
  // Minutes without the bound.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('the shared beginning of two sequences is exact', () => {
  expect(countShared([1, 2, 3], [1, 2, 4, 5])).toBe(2);
  expect(countShared([], [1])).toBe(0);
  expect(countShared(new Uint32Array([7, 8]), [7, 8])).toBe(2);
});
