import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createToolCallParser, joinTexts, parseToolCalls } from './create-tool-call-parser.ts';
import { TOOL_CALL_FORMATS, type ToolCallEvent, type ToolCallFormat } from './tool-call-event.ts';

/** Pieces from which replies are put together, right and wrong ones. */
const PIECES: Readonly<Record<ToolCallFormat, readonly string[]>> = {
  hermes: ['<tool_call>', '</tool_call>', '<tool_', '\n'],
  qwen: ['<tool_call>', '</tool_call>', '</tool', '\n'],
  llama3_json: ['<|python_tag|>', '; ', '<|py', ' '],
  mistral: ['[TOOL_CALLS]', '[', ']', ', ', '[ARGS]', '[CALL_ID]', 'name', '[TOOL'],
  deepseek_v3: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁call▁end｜>',
    'function<｜tool▁sep｜>name',
    '\n```json\n',
    '\n```',
    '<｜tool',
  ],
};
const COMMON = [
  '{"name": "f", "arguments": {"a": 1.0}}',
  '{"name": "f", "parameters": {}}',
  '{"a": "é🎌"}',
  '{"name": ',
  'text',
  '"',
  '}',
  '{',
  ' ',
];

const joinRaw = (events: readonly ToolCallEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : event.raw)).join('');

test.each(TOOL_CALL_FORMATS)('%s: nothing is dropped, and pieces make no difference', (format) => {
  const reply = fc
    .array(fc.constantFrom(...PIECES[format], ...COMMON), { maxLength: 14 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(reply, fc.array(fc.nat(400), { maxLength: 8 }), (text, cuts) => {
      const whole = parseToolCalls({ format, text });
      expect(joinRaw(whole)).toBe(text);
      const bytes = new TextEncoder().encode(text);
      const places = [...new Set([0, ...cuts.filter((at) => at < bytes.length), bytes.length])].sort((a, b) => a - b);
      const parser = createToolCallParser({ format });
      const events = places.slice(1).flatMap((end, index) => parser.push(bytes.subarray(places[index], end)));
      expect(joinTexts([...events, ...parser.end()])).toEqual(whole);
    }),
    { numRuns: 600 },
  );
});

test('a call comes out as soon as it is closed', () => {
  const parser = createToolCallParser({ format: 'hermes' });
  expect(parser.push('Hm. <tool')).toEqual([{ type: 'text-delta', text: 'Hm. ' }]);
  expect(parser.push('_call>{"name": "f", "arguments": {"n": 1.0}}')).toEqual([]);
  const raw = '<tool_call>{"name": "f", "arguments": {"n": 1.0}}</tool_call>';
  const call = { type: 'tool-call', name: 'f', arguments: { n: 1 }, argumentsText: '{"n": 1.0}', id: undefined, raw };
  expect(parser.push('</tool_call>')).toEqual([call]);
  expect(parser.end()).toEqual([]);
});

test('text that only looks like a marker is not held back for ever', () => {
  const parser = createToolCallParser({ format: 'mistral' });
  expect(parser.push('a [TOOL')).toEqual([{ type: 'text-delta', text: 'a ' }]);
  expect(parser.push('BOX] b')).toEqual([{ type: 'text-delta', text: '[TOOLBOX] b' }]);
});

test('what comes after the end is ignored, and the end may be said twice', () => {
  const parser = createToolCallParser({ format: 'qwen' });
  parser.push('<tool_call>{');
  expect(parser.end()).toEqual([{ type: 'malformed-call', reason: 'unclosed', raw: '<tool_call>{' }]);
  expect([parser.push('x'), parser.end()]).toEqual([[], []]);
});
