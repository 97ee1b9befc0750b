import { expect, test } from 'vitest';
import { COMPRESSION_DEFAULTS } from '../settings/compression-settings.ts';
import { chooseEnd } from './choose-end.ts';
import { findCompressible } from './find-compressible.ts';
import { formatTurns } from './format-turns.ts';
import type { Turn } from './turn.ts';

const roles = { s: 'system', h: 'human', g: 'gpt', t: 'tool' } as const;
const turnsOf = (letters: string): Turn[] =>
  letters.split('').map((letter, at) => ({ from: roles[letter as keyof typeof roles], value: `turn ${at}` }));

test('what lies between the first of each role and the last four may be taken out', () => {
  expect(findCompressible(turnsOf('shgtgtgtgtgtgt'), COMPRESSION_DEFAULTS)).toEqual({ start: 4, end: 10 });
});

test('a region never begins with the answer to a call that stays', () => {
  expect(findCompressible(turnsOf('shgttgtgtgtgtgt'), COMPRESSION_DEFAULTS)).toEqual({ start: 5, end: 11 });
});

test('a row that is all protected has no region', () => {
  expect(findCompressible(turnsOf('shgtgtgt'), COMPRESSION_DEFAULTS)).toBeUndefined();
  expect(findCompressible([], COMPRESSION_DEFAULTS)).toBeUndefined();
});

test('turns are taken until enough tokens go, and an answer goes with its call', () => {
  const turns = turnsOf('shgtgtgtgtgtgt');
  const tokens = turns.map(() => 10);
  const within = { start: 4, end: 10 };
  expect(chooseEnd({ turns, tokens, within, needed: 1 })).toBe(6);
  expect(chooseEnd({ turns, tokens, within, needed: 31 })).toBe(8);
  expect(chooseEnd({ turns, tokens, within, needed: 1_000 })).toBe(10);
});

test('an end that can only go back to the start takes nothing out', () => {
  expect(
    chooseEnd({ turns: turnsOf('shgttt'), tokens: [1, 1, 1, 1, 1, 1], within: { start: 2, end: 3 }, needed: 9 }),
  ).toBeUndefined();
});

test('long turns are cut in the middle by code points', () => {
  const value = `${'😀'.repeat(1_600)}${'x'.repeat(1_500)}`;
  const text = formatTurns(
    [
      { from: 'gpt', value: '' },
      { from: 'tool', value },
    ],
    { start: 1, end: 2 },
  );
  expect(text).toBe(`[Turn 1 - TOOL]:\n${'😀'.repeat(1_500)}\n...[truncated]...\n${'x'.repeat(500)}`);
  expect(formatTurns([{ from: 'gpt', value: '😀'.repeat(3_000) }], { start: 0, end: 1 })).toHaveLength(16 + 6_000 + 0);
});
