import { expect, test } from 'vitest';

import type { Recorder } from '../recorder/create-recorder.ts';
import type { CallDraft, RecordDraft } from '../recorder/record-draft.ts';
import { recordingMiddleware } from './recording-middleware.ts';

function fakeRecorder(): Recorder & { drafts: CallDraft[] } {
  const drafts: CallDraft[] = [];
  const record = (draft: RecordDraft) => (drafts.push(draft as CallDraft), 'id');
  const newIds = () => ({ trajectoryId: 't', turnId: 'u' });
  return { name: 'test', now: () => 5, record, newIds, flush: async () => {}, close: async () => {}, drafts };
}

const model = { provider: 'any.chat', modelId: 'm' };
const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };

const streamOf = (parts: readonly unknown[], end?: Error) =>
  new ReadableStream<unknown>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (end === undefined) controller.close();
    },
    pull(controller) {
      if (end !== undefined) controller.error(end);
    },
  });

test('a call and the prompt that repeats it say the same arguments', async () => {
  const recorder = fakeRecorder();
  const { wrapGenerate } = recordingMiddleware({ recorder });
  const call = { type: 'tool-call', toolCallId: 'c-1', toolName: 'add' };
  const content = [
    { type: 'reasoning', text: 'hm' },
    { ...call, input: '{"a": 1}' },
  ];
  const finishReason = { unified: 'tool-calls', raw: undefined };
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'add' }] }];
  const tools = [{ type: 'function', name: 'add', inputSchema: { type: 'object' } }];
  await wrapGenerate({ doGenerate: async () => ({ content, finishReason, usage }), params: { prompt, tools }, model });
  const result = {
    type: 'tool-result',
    toolCallId: 'c-1',
    toolName: 'add',
    output: { type: 'json', value: { sum: 1 } },
  };
  const next = [
    ...prompt,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { ...call, input: { a: 1 } },
      ],
    },
    { role: 'tool', content: [result] },
  ];
  const done = { content: [{ type: 'text', text: 'done' }], finishReason: 'stop', usage };
  await wrapGenerate({ doGenerate: async () => done, params: { prompt: next, tools }, model });
  const [first, second] = recorder.drafts;
  expect(second?.messages[1]).toEqual(first?.replies[0]?.message);
  expect(first).toMatchObject({
    ...{ source: 'ai-sdk', model: 'm', upstream: 'any.chat', usage: { total_tokens: 7 } },
    tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
    replies: [{ finish_reason: 'tool_calls', tokens_missing: 'recorded-as-text' }],
  });
  expect(second?.messages[2]).toEqual({ role: 'tool', tool_call_id: 'c-1', name: 'add', content: '{"sum":1}' });
});

test('a stream is put together, and is on record before its end is handed on', async () => {
  const recorder = fakeRecorder();
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', modelId: 'm-2' },
    { type: 'reasoning-delta', id: 'r', delta: 'h' },
    { type: 'reasoning-delta', id: 'r', delta: 'm' },
    { type: 'text-delta', id: 't', delta: 'Hel' },
    { type: 'text-delta', id: 't', delta: 'lo' },
    { type: 'tool-call', toolCallId: 'c-2', toolName: 'add', input: '{}' },
    { type: 'finish', finishReason: { unified: 'tool-calls' }, usage },
  ];
  const { stream } = await recordingMiddleware({ recorder }).wrapStream({
    ...{ doStream: async () => ({ stream: streamOf(parts) }), params: { prompt: [] }, model },
  });
  const seen: unknown[] = [];
  for await (const part of stream) {
    seen.push(part);
    expect(recorder.drafts).toHaveLength((part as { type: string }).type === 'finish' ? 1 : 0);
  }
  expect(seen).toEqual(parts);
  expect(recorder.drafts[0]).toMatchObject({
    ...{ state: 'complete', model: 'm-2', is_stream: true },
    replies: [{ message: { content: 'Hello', reasoning_content: 'hm', tool_calls: [{ id: 'c-2' }] } }],
  });
});

test('what fails or breaks off is recorded as that, and reaches the caller', async () => {
  const recorder = fakeRecorder();
  const { wrapGenerate, wrapStream } = recordingMiddleware({ recorder });
  const failure = Object.assign(new Error('no'), { statusCode: 500 });
  const params = { prompt: [{ role: 'system', content: 'x' }] };
  await expect(wrapGenerate({ doGenerate: () => Promise.reject(failure), params, model })).rejects.toBe(failure);
  const parts = [{ type: 'text-delta', id: 't', delta: 'Hel' }];
  const { stream } = await wrapStream({ doStream: async () => ({ stream: streamOf(parts, failure) }), params, model });
  const reader = stream.getReader();
  await reader.read();
  await expect(reader.read()).rejects.toBe(failure);
  expect(recorder.drafts).toMatchObject([
    { state: 'failed', error: { message: 'no', status: 500 }, replies: [] },
    { state: 'interrupted', replies: [{ message: { content: 'Hel' }, tokens_missing: 'interrupted' }] },
  ]);
});
