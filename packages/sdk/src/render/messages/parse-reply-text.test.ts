import { expect, test } from 'vitest';
import { parseReplyText } from './parse-reply-text.ts';

const reasoning = { open: '<think>', close: '</think>' };
const call = '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>';

test('a reply is taken apart into reasoning, content and calls', () => {
  expect(parseReplyText({ text: `\n<think>hm</think>\nLet me see.\n${call}`, toolFormat: 'glm45', reasoning })).toEqual(
    {
      message: {
        role: 'assistant',
        content: 'Let me see.',
        reasoning_content: 'hm',
        tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
      },
      malformedCalls: [],
    },
  );
});

test('a call that is not whole is told of, stays in the content, and is not called', () => {
  const half = call.slice(0, -5);
  expect(parseReplyText({ text: half, toolFormat: 'glm45' })).toEqual({
    message: { role: 'assistant', content: half },
    malformedCalls: [{ type: 'malformed-call', reason: 'unclosed', raw: half }],
  });
});

test('when the prompt ended inside the reasoning, a reply without its end calls nothing', () => {
  const parse = (startsInReasoning: boolean): number | undefined =>
    parseReplyText({ text: `I could ${call}`, toolFormat: 'glm45', reasoning, startsInReasoning }).message.tool_calls
      ?.length;
  expect([parse(false), parse(true)]).toEqual([1, undefined]);
});
