import { makeConversation, makePreference, type ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createDropReport } from '../../records/drop-report.ts';
import { type WriteTrlOptions, writeTrl } from './write-trl.ts';

const ask: ChatMessage = { role: 'user', content: 'hi' };
const say: ChatMessage = { role: 'assistant', content: 'ho' };
const calling: ChatMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"x": 1.0}' } }],
};

const write = async (record: Parameters<typeof makeConversation>[0], options: WriteTrlOptions = {}): Promise<string> =>
  (await Array.fromAsync(writeTrl([makeConversation(record)], options))).join('');

test('arguments are an object with its floats, or the text', async () => {
  const record = { id: 'one', messages: [ask, calling] };
  expect(await write(record)).toContain('"arguments": {"x": 1.0}');
  expect(await write(record, { arguments: 'text' })).toContain('"arguments": "{\\"x\\": 1.0}"');
});

test('tools are a list, or one text in which nothing can be invented', async () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const record = { id: 'one', messages: [ask, say], tools };
  expect(JSON.parse(await write(record))).toMatchObject({ tools });
  expect(JSON.parse(await write(record, { tools: 'text' }))).toMatchObject({ tools: JSON.stringify(tools) });
});

test('a pair has a prompt and two sides', async () => {
  const pair = makePreference({
    id: 'p',
    prompt: [ask],
    chosen: [say],
    rejected: [{ role: 'assistant', content: 'no' }],
  });
  expect((await Array.fromAsync(writeTrl([pair]))).join('')).toBe(
    '{"prompt": [{"role": "user", "content": "hi"}], "chosen": [{"role": "assistant", "content": "ho"}], "rejected": [{"role": "assistant", "content": "no"}]}\n',
  );
});

test('the last reply stands apart, with a label where somebody judged it', async () => {
  const messages = [ask, say, ask, say, ask];
  const drops = createDropReport();
  expect(JSON.parse(await write({ id: 'one', messages }, { shape: 'prompt-completion', drops }))).toEqual({
    prompt: [ask, say, ask],
    completion: [say],
  });
  expect(drops.list()).toMatchObject([{ field: 'messages', count: 1 }]);
  expect(JSON.parse(await write({ id: 'one', messages, rating: 0.25 }, { shape: 'unpaired' }))).toMatchObject({
    label: false,
  });
  expect(await write({ id: 'one', messages }, { shape: 'unpaired' })).toBe('');
});
