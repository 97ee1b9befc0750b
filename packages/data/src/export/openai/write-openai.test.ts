import { expect, test } from 'vitest';
import { makeConversation, makePreference } from '@lachesis/protocol';
import { createDropReport } from '../../records/drop-report.ts';
import { writeOpenAi } from './write-openai.ts';

const messages = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'ho', reasoning_content: 'hm' },
];

test('messages go out as they are', async () => {
  expect(await Array.fromAsync(writeOpenAi([makeConversation({ id: 'one', messages })]))).toEqual([
    `${JSON.stringify({ messages })}\n`,
  ]);
});

test('fine-tuning gets the fields it knows, and a weight of 0 where nothing is to be learnt', async () => {
  const drops = createDropReport();
  const [line = ''] = await Array.fromAsync(
    writeOpenAi([makeConversation({ id: 'one', messages, weight: 0 })], { shape: 'fine-tuning', drops }),
  );
  expect(JSON.parse(line)).toEqual({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ho', weight: 0 },
    ],
  });
  expect(drops.list()).toMatchObject([{ field: 'messages.reasoning_content', count: 1 }]);
});

test('a pair is a row of preference tuning', async () => {
  const [ask, reply] = messages as [(typeof messages)[0], (typeof messages)[1]];
  const pair = makePreference({
    id: 'p',
    prompt: [ask],
    chosen: [reply],
    rejected: [{ role: 'assistant', content: 'no' }],
  });
  const [line = ''] = await Array.fromAsync(writeOpenAi([pair]));
  expect(JSON.parse(line)).toEqual({
    input: { messages: [ask], parallel_tool_calls: true },
    preferred_output: [reply],
    non_preferred_output: [{ role: 'assistant', content: 'no' }],
  });
});
