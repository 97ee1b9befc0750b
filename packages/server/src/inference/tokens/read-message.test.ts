import type { ToolCallFormat } from '@lachesis/protocol';
import { describe, expect, test } from 'vitest';
import { readMessage } from './read-message.ts';

const tools = [
  {
    type: 'function',
    function: {
      name: 'dial',
      parameters: { type: 'object', properties: { number: { type: 'string' }, times: { type: 'integer' } } },
    },
  },
];

/** Values without quotes: text alone does not say whether 7 is a word. */
const CALLS: readonly [ToolCallFormat, string][] = [
  [
    'qwen3_coder',
    '<tool_call>\n<function=dial>\n<parameter=number>\n7\n</parameter>\n<parameter=times>\n2\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'glm45',
    '<tool_call>dial\n<arg_key>number</arg_key>\n<arg_value>7</arg_value>\n<arg_key>times</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  ],
  [
    'glm47',
    '<tool_call>dial<arg_key>number</arg_key><arg_value>7</arg_value><arg_key>times</arg_key><arg_value>2</arg_value></tool_call>',
  ],
];

describe.each(CALLS)('%s', (toolFormat, text) => {
  const read = (offered: typeof tools | undefined): unknown => {
    const message = readMessage({ text, toolFormat, tools: offered, reasoning: undefined, newCallId: () => 'call_1' });
    return JSON.parse(message.tool_calls?.[0]?.function.arguments ?? 'null');
  };

  test('values are of the types that the offered tools say', () => {
    expect(read(tools)).toEqual({ number: '7', times: 2 });
  });

  test('without tools a value that looks like a number is one', () => {
    expect(read(undefined)).toEqual({ number: 7, times: 2 });
  });
});
