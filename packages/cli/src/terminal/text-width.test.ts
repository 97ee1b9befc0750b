import { expect, test } from 'vitest';
import { cleanLine, cleanText } from './clean-text.ts';
import { cutText, fitText, textWidth, wrapText } from './text-width.ts';

test('a wide letter takes two columns, a mark none, a joined emoji two', () => {
  expect(['abc', '天気', 'é', 'e\u0301', '👩‍👩‍👧', '🇫🇷', 'ｱ'].map(textWidth)).toEqual([3, 4, 1, 1, 2, 2, 1]);
});

test('a text is cut between letters and filled up to its columns', () => {
  expect(cutText('天気予報', 5)).toBe('天気…');
  expect(fitText('天気予報', 6)).toBe('天気… ');
  expect(fitText('ab', 4)).toBe('ab  ');
  expect(cutText('abc', 3)).toBe('abc');
});

test('lines are broken between words, and inside a word that is too long', () => {
  expect(wrapText('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrapText('天気予報', 4)).toEqual(['天気', '予報']);
  expect(wrapText('a\n\nb', 10)).toEqual(['a', '', 'b']);
});

test('nothing that was recorded moves the cursor or colours the terminal', () => {
  expect(cleanText('a\u001B[2Jb\u001B]0;title\u0007c\u0000d\u202Ee')).not.toMatch(/[\p{Control}\u202E]/u);
  expect(cleanText('a\r\nb\tc')).toBe('a\nb    c');
  expect(cleanLine(' a\n\n b ')).toBe('a b');
});
