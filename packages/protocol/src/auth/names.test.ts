import { expect, test } from 'vitest';
import { describeNames, isName } from './names.ts';

test.each(['acme', 'a', '7', 'Team_1.eu-west', 'x'.repeat(64)])('%s may name a tenant and a run', (name) => {
  expect([isName('tenant', name), isName('run', name)]).toEqual([true, true]);
});

test.each([
  '',
  '.',
  '..',
  '../a',
  'a..b',
  'a/b',
  'a\\b',
  ' a',
  'a ',
  'a\n',
  'a\nb',
  '-a',
  '.a',
  'ä',
  'a%2e',
  'a\0',
  'x'.repeat(101),
])('%j names neither', (name) => {
  expect([isName('tenant', name), isName('run', name)]).toEqual([false, false]);
});

test('a run may have a longer name than a tenant, and the rule says so', () => {
  expect([isName('tenant', 'x'.repeat(65)), isName('run', 'x'.repeat(100))]).toEqual([false, true]);
  expect([describeNames('tenant'), describeNames('run')].map((text) => /at most (\d+)/.exec(text)?.[1])).toEqual([
    '64',
    '100',
  ]);
});
