import { expect, test } from 'vitest';
import { formatPythonJson } from '@lachesis/sdk/render';
import { parsePythonJson } from '../records/python/parse-python-json.ts';
import { parseRow } from './parse-row.ts';

test.each([
  '{"a": 1, "b": [1.0, 1e5, -0, -0.0, 0.5, 12345678901234567890, 1e400], "c": {"d": null, "e": true}}',
  '{"10": "ten", "2": "two", "b": {"1": 1.0}}',
  '{"value": NaN, "other": [-Infinity, "NaN"]}',
  '{"__proto__": {"x": 1.0}, "a": "\\ud83d\\ude00 \\ud83d", "a": 2.0}',
  '[]',
  '7.0',
  '{"conversations": [{"from": "gpt", "value": "1.0"}, {"from": "tool", "value": ["0", {"n": 3.0}]}]}',
])('reads %s as the careful parser does', (text) => {
  expect(parseRow(text)).toEqual(parsePythonJson(text));
  expect(formatPythonJson(parseRow(text))).toBe(formatPythonJson(parsePythonJson(text)));
});

test('refuses what is no JSON', () => {
  expect(() => parseRow('{"a": 1')).toThrow(SyntaxError);
});
