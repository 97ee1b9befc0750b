/** Texts that tell one JSON writer from another, or one idea of white space. */
export const TEXTS: readonly string[] = [
  'plain words',
  'Grüße, 世界, مرحبا, 😀👩‍🚀',
  'a "quoted" word and a \\ backslash',
  'two\nlines\r\nand a\ttab',
  'control \u0001\u001f\u007f and \u2028 separators \u2029',
  'ends with spaces  \n\n',
  '\u00a0no-break at both ends\u3000',
  '\ufeffbyte order mark',
  '<tool_call> that is only talk',
  'He said </think> and went on',
  '{"looks": "like JSON", "but": is not}',
  '[1, 2, 3',
];

/** What tools answer: JSON in all its oddities, errors, and words. */
export const RESULTS: readonly string[] = [
  '{"temperature": 1.0, "unit": "°C"}',
  '{"a":1,"b":[1.0,2.50,-0.0,1e5,1E-7,1e16,123456789.123456789]}',
  '{"id": 123456789012345678901234567890, "safe": 9007199254740993}',
  '{"10": "ten", "2": "two", "b": 1, "a": 2}',
  '  {"padded": true}  ',
  '[]',
  '{}',
  '[{"x": null}, {"x": [[[]]]}]',
  '{"k": 1, "k": 2}',
  '{"text": "caf\\u00e9 \\ud83d\\ude00 \\/ \\u0000 \\u2028"}',
  '{"nan": NaN, "inf": [Infinity, -Infinity]}',
  '{"huge": 1e999}',
  '{"error": "no such file", "code": 2}',
  '{"success": false}',
  'Error: the tool failed',
  '{broken',
  '',
  '   ',
  '42',
  '"a JSON text"',
  'two\nlines of ünïcode',
  '\u00a0{"after": "no-break space"}',
];

/** Arguments beside the text that the tool gives back. */
export const ARGUMENTS: readonly string[] = [
  '"x": 1.0',
  '"x":-0.0,"y":1e22',
  '"big": 12345678901234567890123',
  '"2": 0, "10": 1, "name": "ünï"',
  '"nested": {"list": [1, 2.0, null, true], "empty": {}}',
  '"text": "line\\nbreak \\u00e9 \\ud83d\\ude00"',
  '"x": 0.1, "y": 100000000000000000.0',
];
