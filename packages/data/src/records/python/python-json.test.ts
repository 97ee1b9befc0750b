import { expect, test } from 'vitest';
import { formatPythonJson } from '@lachesis/sdk/render';
import { parsePythonJson } from './parse-python-json.ts';
import { isBlank, strip, stripEnd } from './python-space.ts';

// Right-hand sides are what Python 3.11 printed for json.dumps(json.loads(text), ensure_ascii=False).
test.each([
  ['{"a":1,"b":[1.0,2.50,-0.0,1e5,1E-7,1e16]}', '{"a": 1, "b": [1.0, 2.5, -0.0, 100000.0, 1e-07, 1e+16]}'],
  ['{"id":123456789012345678901234567890}', '{"id": 123456789012345678901234567890}'],
  ['{"10":1,"2":2,"b":{}}', '{"10": 1, "2": 2, "b": {}}'],
  ['{"nan":NaN,"inf":[Infinity,-Infinity],"big":1e999}', '{"nan": NaN, "inf": [Infinity, -Infinity], "big": Infinity}'],
  ['{"text":"NaN, \\"Infinity\\"","x":NaN}', '{"text": "NaN, \\"Infinity\\"", "x": NaN}'],
  ['"caf\\u00e9 \\u0000 \\u007f \\u2028 \\/"', '"café \\u0000 \u007f \u2028 /"'],
])('%s comes out as Python prints it', (text, printed) => {
  expect(formatPythonJson(parsePythonJson(text))).toBe(printed);
});

test('an indent gives the lines that Python gives', () => {
  expect(formatPythonJson({ a: [1, { b: null }], c: [], d: {} }, { indent: 2 })).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": [],\n  "d": {}\n}',
  );
});

test('half of a surrogate pair is escaped, so that the file stays UTF-8', () => {
  expect(formatPythonJson('a\ud800b')).toBe('"a\\ud800b"');
});

test('text that Python refuses is refused', () => {
  for (const text of ['{bad', 'NaNa', '', '{"a": Nan}', "{'a': 1}"])
    expect(() => parsePythonJson(text)).toThrow(SyntaxError);
});

test('white space is what Python takes for it', () => {
  expect([strip('\u00a0\x1c a \x85\u3000'), stripEnd('a\ufeff'), isBlank('\x1f\u2009'), isBlank('\ufeff')]).toEqual([
    'a',
    'a\ufeff',
    true,
    false,
  ]);
});
