import type { ToolCallFormat } from '@lachesis/protocol';
import { TOOL_CALL_FORMATS } from '@lachesis/protocol/names';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createToolCallParser, joinTexts, parseToolCalls } from './create-tool-call-parser.ts';
import type { ToolCallEvent } from './tool-call-event.ts';

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
  deepseek_v3_1: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁call▁end｜>',
    'name<｜tool▁sep｜>',
    '<｜tool',
  ],
  kimi_k2: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_end|>',
    'functions.f:0<|tool_call_argument_begin|>',
    '<|tool_call',
  ],
  longcat: ['<longcat_tool_call>', '</longcat_tool_call>', '<longcat', '\n'],
  qwen3_coder: [
    '<tool_call>',
    '</tool_call>',
    '<function=f>',
    '</function>',
    '<parameter=p>\n',
    '\n</parameter>',
    '<function=',
    '</',
  ],
  glm45: ['<tool_call>f\n', '</tool_call>', '<arg_key>k</arg_key>\n', '<arg_value>', '</arg_value>', '<arg_', '\n'],
  glm47: ['<tool_call>f', '</tool_call>', '<arg_key>k</arg_key>', '<arg_value>', '</arg_value>', '<arg_', '\n'],
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

test('a long call in tiny pieces comes out once, and not at the cost of its square', () => {
  const reply = `<tool_call>{"name": "f", "arguments": {"text": "${'word '.repeat(100_000)}"}}</tool_call> and on`;
  const parser = createToolCallParser({ format: 'hermes' });
  const startedAt = performance.now();
  const events = Array.from({ length: Math.ceil(reply.length / 4) }, (_unused, index) =>
    parser.push(reply.slice(index * 4, index * 4 + 4)),
  ).flat();
  events.push(...parser.end());
  expect(joinTexts(events)).toEqual(parseToolCalls({ format: 'hermes', text: reply }));
  // It takes some tenths of a second; looked at with every piece it took twenty.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
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

const tools = [
  {
    type: 'function',
    function: {
      name: 'write',
      parameters: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } },
    },
  },
];

test.each([
  [
    'qwen3_coder',
    (text: string) =>
      `<tool_call>\n<function=write>\n<parameter=text>\n${text}\n</parameter>\n<parameter=count>\n2\n</parameter>\n</function>\n</tool_call>`,
  ],
  [
    'glm45',
    (text: string) =>
      `<tool_call>write\n<arg_key>text</arg_key>\n<arg_value>${text}</arg_value>\n<arg_key>count</arg_key>\n<arg_value>2</arg_value>\n</tool_call>`,
  ],
  [
    'glm47',
    (text: string) =>
      `<tool_call>write<arg_key>text</arg_key><arg_value>${text}</arg_value><arg_key>count</arg_key><arg_value>2</arg_value></tool_call>`,
  ],
] as const)('%s: what the schema calls text is text to the last space', (format, write) => {
  for (const text of ['7', 'true', '{"a": 1}', ' two \n\nlines\n', '"quoted"', 'None', '']) {
    expect(parseToolCalls({ format, text: write(text), tools })).toMatchObject([
      { name: 'write', arguments: { text, count: 2 } },
    ]);
  }
  expect(parseToolCalls({ format, text: write('{"a": 1.0}') })).toMatchObject([
    { argumentsText: '{"text": {"a": 1.0}, "count": 2}' },
  ]);
});

test('a value in which another tag stands makes no call', () => {
  const text = '<tool_call><function=f><parameter=a>1<parameter=b>2</parameter></function></tool_call>';
  expect(parseToolCalls({ format: 'qwen3_coder', text })).toEqual([
    { type: 'malformed-call', reason: 'bad-marker', raw: text },
  ]);
});

test('arguments that are nested without end are refused and do not overflow', () => {
  const deep = `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  for (const text of [deep, JSON.stringify(deep)]) {
    const reply = `<tool_call>{"name": "f", "arguments": ${text}}</tool_call>`;
    expect(parseToolCalls({ format: 'qwen', text: reply })).toMatchObject([{ type: 'malformed-call' }]);
  }
});

test('a list of very many calls is read', () => {
  const count = 200_000;
  const text = `[TOOL_CALLS][${Array.from({ length: count }, () => '{}').join(',')}]`;
  expect(parseToolCalls({ format: 'mistral', text })).toHaveLength(count);
});
