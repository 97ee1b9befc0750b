import { expect, test } from 'vitest';
import { NO_MARK } from '../template/text-mark.ts';
import { toTemplateValue } from '../template/to-template-value.ts';
import { parseJson } from './parse-json.ts';
import { PythonFloat, formatPythonFloat } from './python-float.ts';
import { formatTemplateJson } from './python-text.ts';

/** What `json.dumps(json.loads(text), ensure_ascii=False)` gives. */
const dump = (text: string): string =>
  formatTemplateJson(
    toTemplateValue(parseJson(text), (item) => item, 'text'),
    {},
    NO_MARK,
  );

test.each([
  ['[1, 1.0, -0.0, -0, 1e-7, 1E5, 0.10]', '[1, 1.0, -0.0, 0, 1e-07, 100000.0, 0.1]'],
  ['[1e15, 1e16, 1e22, 5e-324, 0.0001, 0.00001]', '[1000000000000000.0, 1e+16, 1e+22, 5e-324, 0.0001, 1e-05]'],
  ['[9007199254740993, 123456789012345678901234567890]', '[9007199254740993, 123456789012345678901234567890]'],
  ['{"b": 1, "10": 2, "2": 3, "a": 4}', '{"b": 1, "10": 2, "2": 3, "a": 4}'],
  ['{"__proto__": {"x": 1}, "k": 1, "k": 2}', '{"__proto__": {"x": 1}, "k": 2}'],
  ['{"é\\u0000\\u2028\\/": "\\ud83d\\ude00\\t"}', '{"é\\u0000\u2028/": "😀\\t"}'],
  [' [ ] ', '[]'],
])('%s comes out as Python prints it', (text, printed) => {
  expect(dump(text)).toBe(printed);
});

test.each(['', '{', '[1,]', '{"a" 1}', '01', 'NaN', "{'a': 1}", '[1] x'])('%j is refused', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('nesting that would end the stack is refused', () => {
  expect(() => parseJson('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(/deep|stack/i);
});

test('a float is recognised across copies of the package and is a plain number in JSON', () => {
  const copy = { [Symbol.for('lachesis.sdk.python-float')]: true, value: 2 };
  expect([PythonFloat.isInstance(new PythonFloat(1)), PythonFloat.isInstance(copy), PythonFloat.isInstance(1)]).toEqual(
    [true, true, false],
  );
  expect(JSON.stringify({ a: new PythonFloat(1) })).toBe('{"a":1}');
  expect([formatPythonFloat(Number.NaN), formatPythonFloat(-Infinity), formatPythonFloat(123.456)]).toEqual([
    'nan',
    '-inf',
    '123.456',
  ]);
});
