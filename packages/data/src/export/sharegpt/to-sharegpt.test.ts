import { makeConversation, type ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createDropReport } from '../../records/drop-report.ts';
import { toShareGpt } from './to-sharegpt.ts';
import { formatShareGptLine } from './write-sharegpt.ts';

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Wie warm ist es?' },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'Look it up.',
    tool_calls: [call('c1', 'weather', '{"city":"Köln","days":1.0}'), call('c2', 'clock', '{}')],
  },
  { role: 'tool', content: '{"t":21.0}', tool_call_id: 'c1' },
  { role: 'tool', content: 'noon', tool_call_id: 'c2' },
  { role: 'assistant', content: '21 °C  \n' },
];

test('the elements are those of Hermes, byte by byte', () => {
  const [, ...elements] = toShareGpt({ messages, tools: null });
  expect(elements).toEqual([
    { from: 'human', value: 'Wie warm ist es?' },
    {
      from: 'gpt',
      value:
        '<think>\nLook it up.\n</think>\n<tool_call>\n{"name": "weather", "arguments": {"city": "Köln", "days": 1.0}}\n</tool_call>\n<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
    },
    {
      from: 'tool',
      value:
        '<tool_response>\n{"tool_call_id": "c1", "name": "weather", "content": {"t": 21.0}}\n</tool_response>\n<tool_response>\n{"tool_call_id": "c2", "name": "clock", "content": "noon"}\n</tool_response>',
    },
    { from: 'gpt', value: '<think>\n</think>\n21 °C' },
  ]);
});

test('answers are named by the call they answer, in whichever order they came', () => {
  const [system, question, request, first, second, last] = messages as [
    ChatMessage,
    ChatMessage,
    ChatMessage,
    ChatMessage,
    ChatMessage,
    ChatMessage,
  ];
  const turned = toShareGpt({ messages: [system, question, request, second, first, last], tools: null });
  expect(String(turned[3]?.value)).toMatch(/"c2", "name": "clock".*\n.*\n.*\n.*"c1", "name": "weather"/);
});

test('the first element holds the system prompt and the tools, or what a preamble of one’s own makes of them', () => {
  const tools = [{ type: 'function', function: { name: 'clock', description: 'Tells the time.', parameters: {} } }];
  expect(String(toShareGpt({ messages, tools })[0]?.value)).toMatch(
    /^Be brief\.\n\n.*\n<tools>\n\[\{"name": "clock", "description": "Tells the time\.", "parameters": \{\}, "required": null\}\]\n<\/tools>/,
  );
  expect(toShareGpt({ messages, tools }, { preamble: ({ system }) => system })[0]?.value).toBe('Be brief.');
  const drops = createDropReport();
  expect(toShareGpt({ messages, tools }, { preamble: () => null, drops })[0]?.from).toBe('human');
  expect(drops.list().map(({ field }) => field)).toContain('messages.system');
});

test('roles can be user and assistant', () => {
  expect(toShareGpt({ messages, tools: null }, { roles: 'openai' }).map(({ from }) => from)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
});

test('a line of the batch shape has the fields of Hermes in their order, and counts its tools', () => {
  const line = formatShareGptLine(makeConversation({ id: 'one', messages, model: 'm', timestamp: 't' }), {
    shape: 'batch',
    promptIndex: 7,
  });
  const entry = JSON.parse(line) as Record<string, unknown>;
  expect(Object.keys(entry)).toEqual([
    'prompt_index',
    'conversations',
    'metadata',
    'completed',
    'partial',
    'api_calls',
    'toolsets_used',
    'tool_stats',
    'tool_error_counts',
  ]);
  expect(entry).toMatchObject({
    prompt_index: 7,
    metadata: { batch_num: 0, timestamp: 't', model: 'm' },
    api_calls: 2,
    tool_stats: { weather: { count: 1, success: 1, failure: 0 }, clock: { count: 1, success: 1, failure: 0 } },
    tool_error_counts: { weather: 0, clock: 0 },
  });
});

test('what the format has no place for is named', () => {
  const drops = createDropReport();
  formatShareGptLine(makeConversation({ id: 'one', messages, reward: 1, tags: ['x'] }), { drops });
  expect(drops.list().map(({ field }) => field)).toEqual([
    'reward',
    'tags',
    'messages.tool_calls.arguments',
    'messages.content',
    'messages.content',
  ]);
});
