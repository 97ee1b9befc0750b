import { expect, test } from 'vitest';

import { exact, findDifference, parseExact } from './exact-json.ts';

const compare = (want: string, got: string): string | undefined => findDifference(parseExact(want), parseExact(got));

test('numbers are written again as they were read', () => {
  const text = '{"a":[1.0,1,1e-07,-0.0,9007199254740993]}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(JSON.stringify([exact('2.0')])).toBe('[2.0]');
});

test('a float is not an integer of the same value', () => {
  expect(compare('[1.0]', '[1]')).toBe('$[0]: want 1.0, got 1');
  expect(compare('{"a":1}', '{"a":1.0}')).toBe('$.a: want 1, got 1.0');
});

test('two spellings of one float are the same', () => {
  expect(compare('1e-07', '1e-7')).toBeUndefined();
  expect(compare('1e22', '10000000000000000000000.0')).toBeUndefined();
  expect(compare('0.0', '-0.0')).toBe('$: want 0.0, got -0.0');
});

test('integers beyond 2^53 are compared digit by digit', () => {
  expect(compare('9007199254740993', '9007199254740992')).toMatch(/want 9007199254740993/);
});

test('the place of the first difference is named', () => {
  expect(compare('{"a":[{"b":"x"}]}', '{"a":[{"b":"y"}]}')).toBe('$.a[0].b: want "x", got "y"');
  expect(compare('{"a":null}', '{}')).toBe('$: want keys a, got ');
  expect(compare('[[1],[2]]', '[[1]]')).toBe('$: want 2 elements, got 1');
  expect(compare('{"b":1,"a":2}', '{"a":2,"b":1}')).toBeUndefined();
});
