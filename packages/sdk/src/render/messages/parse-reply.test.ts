import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORGETFUL, type TinyModel, createTinyModel } from '../testing/tiny-model.fixture.ts';
import { loadTokenizer } from '../tokenizer/load-tokenizer.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { type ParsedReply, parseReply } from './parse-reply.ts';

let model: TinyModel;
let tokenizer: Tokenizer;

beforeAll(async () => {
  model = await createTinyModel({ template: FORGETFUL });
  tokenizer = await loadTokenizer({ directory: model.directory });
});

afterAll(() => model.remove());

const parse = async (text: string): Promise<ParsedReply> =>
  parseReply({ tokenizer, tokens: await tokenizer.encode(text) });

test('a reply that ends with a stop token is over', async () => {
  expect(await parse('Hello.<|im_end|>')).toEqual({
    message: { role: 'assistant', content: 'Hello.' },
    stopReason: 'stop',
    malformedCalls: [],
    ignoredTokens: 0,
  });
  expect(await parse('Hello.')).toMatchObject({ stopReason: 'length', message: { content: 'Hello.' } });
  expect(await parse('Hello.<|im_end|>\nmore')).toMatchObject({
    stopReason: 'stop',
    message: { content: 'Hello.' },
    ignoredTokens: 5,
  });
});

test('reasoning is taken apart from the answer', async () => {
  const { message } = await parse('<think>\nhm\n</think>\n\nYes.<|im_end|>');
  expect(message).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: 'hm' });
  expect((await parse('hm\n</think>\n\nYes.')).message).toMatchObject({ content: 'Yes.', reasoning_content: 'hm' });
  expect((await parse('<think>\nhm <tool_call>')).message).toEqual({
    role: 'assistant',
    content: '',
    reasoning_content: 'hm <tool_call>',
  });
});

test('calls keep the text of their arguments', async () => {
  const { message } = await parse(
    'Look.\n<tool_call>\n{"name": "f", "arguments": {"a": 1.0}}\n</tool_call>\n<|im_end|>',
  );
  expect(message).toEqual({
    role: 'assistant',
    content: 'Look.',
    tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{"a": 1.0}' } }],
  });
});

test('a broken call is told and stays in the text', async () => {
  const { message, malformedCalls } = await parse('A<tool_call>{"name": "f"</tool_call><|im_end|>');
  expect(malformedCalls).toEqual([
    { type: 'malformed-call', reason: 'invalid-json', raw: '<tool_call>{"name": "f"</tool_call>' },
  ]);
  expect(message).toEqual({ role: 'assistant', content: 'A<tool_call>{"name": "f"</tool_call>' });
});
