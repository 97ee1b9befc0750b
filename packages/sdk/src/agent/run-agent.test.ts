import type { Clock, ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';

import type { AgentEvent } from './agent-event.ts';
import type { AgentModel, ModelQuestion } from './agent-model.ts';
import type { AgentTool } from './agent-tool.ts';
import { defineTool } from './define-tool.ts';
import { runAgent } from './run-agent.ts';

const task: ChatMessage[] = [{ role: 'user', content: 'Add 20 and 22.' }];
const say = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (name: string, args: unknown, id: string | null = 'c1'): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [
    { id, type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } },
  ],
});
const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

/** A model that says what it is told to, and keeps what it was asked. */
function script(...replies: (ChatMessage | Error)[]): { model: AgentModel; asked: ModelQuestion[] } {
  const asked: ModelQuestion[] = [];
  return {
    asked,
    model: async (question) => {
      asked.push({ ...question, messages: [...question.messages] });
      const reply = replies[Math.min(asked.length, replies.length) - 1]!;
      if (reply instanceof Error) throw reply;
      return { message: reply, finishReason: 'stop', usage };
    },
  };
}

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});
const answersOf = (messages: readonly ChatMessage[]): unknown[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

test('a call is done, its result goes back, and the answer ends it', async () => {
  const { model, asked } = script(call('add', { a: 20, b: 22 }), say('42'));
  const events: AgentEvent['kind'][] = [];
  const result = await runAgent({ model, tools: [add], messages: task, onEvent: ({ kind }) => void events.push(kind) });
  expect(result).toMatchObject({ reason: 'answered', text: '42', turns: 2, toolCalls: 1 });
  expect(result.usage.total_tokens).toBe(8);
  expect(asked[1]?.messages).toEqual([
    ...task,
    call('add', { a: 20, b: 22 }),
    { role: 'tool', tool_call_id: 'c1', content: '{"sum":42}' },
  ]);
  expect(asked[0]?.tools).toMatchObject([
    { type: 'function', function: { name: 'add', parameters: { type: 'object', required: ['a', 'b'] } } },
  ]);
  expect(events).toEqual([
    'model-asked',
    'model-replied',
    'tool-started',
    'tool-ended',
    'model-asked',
    'model-replied',
    'ended',
  ]);
  expect(task).toHaveLength(1);
});

test.each([
  ['a tool that is not there', call('ad', {}), 'There is no tool \\"ad\\". The tools are: add.'],
  ['arguments that are not JSON', call('add', '{"a": 1'), 'The arguments of add are not JSON'],
  ['arguments that are no object', call('add', '[1]'), 'are no JSON object'],
  ['arguments that do not fit', call('add', { a: 'x', b: 1 }), 'The arguments of add do not fit: a: '],
])('%s is an answer to the model', async (_name, asked, sentence) => {
  const { model } = script(asked, say('sorry'));
  const { reason, messages } = await runAgent({ model, tools: [add], messages: task });
  expect(reason).toBe('answered');
  expect(answersOf(messages)).toEqual([expect.stringContaining(sentence)]);
});

test('a tool that throws is an answer to the model', async () => {
  const broken: AgentTool = { ...add, execute: () => Promise.reject(new Error('the disk is full')) };
  const { model } = script(call('add', {}), say('sorry'));
  const { messages } = await runAgent({ model, tools: [broken], messages: task });
  expect(JSON.parse(answersOf(messages)[0] as string)).toEqual({ error: 'the disk is full' });
});

test('a call with a risk runs after it was allowed, and a refusal reaches the model with its reason', async () => {
  let runs = 0;
  const start: AgentTool = {
    ...{ name: 'start', description: '', parameters: {}, risk: 'costs' },
    preview: () => 'about 3 dollars',
    execute: async () => (runs += 1),
  };
  const replies = [call('start', {}), say('done')];
  const questions: unknown[] = [];
  await runAgent({
    ...{ model: script(...replies).model, tools: [start], messages: task },
    approve: async ({ risk, preview }) => void questions.push([risk, preview]),
  });
  expect([runs, questions]).toEqual([1, [['costs', 'about 3 dollars']]]);

  const refused = await runAgent({
    ...{ model: script(...replies).model, tools: [start], messages: task },
    approve: async () => 'too dear',
  });
  expect([runs, answersOf(refused.messages)]).toEqual([1, [expect.stringContaining('Not done: too dear')]]);

  const alone = await runAgent({ model: script(...replies).model, tools: [start], messages: task });
  expect([runs, answersOf(alone.messages)]).toEqual([1, [expect.stringContaining('nobody is here')]]);
});

test('what a preview refuses is never asked', async () => {
  let questions = 0;
  const write: AgentTool = {
    ...{ name: 'write', description: '', parameters: {}, risk: 'writes' },
    preview: () => Promise.reject(new Error('outside')),
    execute: async () => 'written',
  };
  const { messages } = await runAgent({
    ...{ model: script(call('write', {}), say('.')).model, tools: [write], messages: task },
    approve: async () => void (questions += 1),
  });
  expect([questions, answersOf(messages)]).toEqual([0, [expect.stringContaining('outside')]]);
});

test('turns and tokens are bounded, and the conversation that is left can be continued', async () => {
  const endless = (): AgentModel => script(call('add', { a: 1, b: 1 })).model;
  const byTurns = await runAgent({ model: endless(), tools: [add], messages: task, limits: { maxTurns: 3 } });
  expect(byTurns).toMatchObject({ reason: 'max-turns', turns: 3 });
  expect(answersOf(byTurns.messages)).toHaveLength(3);
  const byTokens = await runAgent({ model: endless(), tools: [add], messages: task, limits: { maxTokens: 8 } });
  expect(byTokens).toMatchObject({ reason: 'max-tokens', turns: 2 });
  await expect(
    runAgent({ model: endless(), tools: [], messages: task, limits: { maxTurns: Number.NaN } }),
  ).rejects.toThrow('maxTurns is NaN');
});

test('a tool that takes too long is given up, though it does not listen', async () => {
  const deaf: AgentTool = { ...add, timeoutMs: 20, execute: () => new Promise(() => undefined) };
  const { model } = script(call('add', {}), say('sorry'));
  const { messages, reason } = await runAgent({ model, tools: [deaf], messages: task });
  expect([reason, answersOf(messages)]).toEqual(['answered', [expect.stringContaining('add was given up')]]);
});

test('an end from outside answers the calls that were not run', async () => {
  const abort = new AbortController();
  const stop: AgentTool = {
    ...add,
    execute: async () => {
      abort.abort();
      return 'done';
    },
  };
  const two: ChatMessage = {
    role: 'assistant',
    tool_calls: ['c1', 'c2'].map((id) => ({ id, function: { name: 'add', arguments: '{}' } })),
  };
  const result = await runAgent({ model: script(two).model, tools: [stop], messages: task, signal: abort.signal });
  expect(result).toMatchObject({ reason: 'aborted', turns: 1, toolCalls: 1 });
  expect(answersOf(result.messages)).toEqual(['done', expect.stringContaining('Not done')]);
});

test('the time for everything ends a model that does not answer', async () => {
  const model: AgentModel = ({ signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  expect(await runAgent({ model, tools: [], messages: task, limits: { maxMs: 20 } })).toMatchObject({
    reason: 'deadline',
    turns: 0,
  });
});

test('the clock is the one handed in', async () => {
  const sleeps: number[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => {
      sleeps.push(ms);
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const { model } = script(call('add', { a: 1, b: 1 }), say('2'));
  await runAgent({ model, tools: [add], messages: task, clock, limits: { maxMs: 7_000, toolMs: 3_000 } });
  expect(sleeps).toEqual([7_000, 3_000]);
});

test('a model that fails is a result with its error', async () => {
  const ends: string[] = [];
  const result = await runAgent({
    ...{ model: script(new Error('away')).model, tools: [], messages: task },
    recorder: { end: ({ reason }) => void ends.push(reason) },
  });
  expect([result.reason, result.error?.message, ends]).toEqual(['model-failed', 'away', ['model-failed']]);
});

test('replies that end nothing properly are named', async () => {
  const cut: AgentModel = async () => ({ message: say('The answer is'), finishReason: 'length' });
  expect(await runAgent({ model: cut, tools: [], messages: task })).toMatchObject({ reason: 'cut-off' });
  expect(await runAgent({ model: script(say(' ')).model, tools: [], messages: task })).toMatchObject({
    reason: 'empty-reply',
  });
});

test('a call without an id gets one, and both sides name it', async () => {
  const { model, asked } = script(call('add', { a: 1, b: 1 }, null), say('2'));
  await runAgent({ model, tools: [add], messages: task });
  const [, reply, answer] = asked[1]!.messages;
  expect([reply?.tool_calls?.[0]?.id, answer?.tool_call_id]).toEqual(['call_0_0', 'call_0_0']);
});

test('a long result is cut, and says so; calls beyond the bound are not run', async () => {
  const long: AgentTool = { ...add, execute: async () => 'x'.repeat(100) };
  const many: ChatMessage = {
    role: 'assistant',
    tool_calls: ['1', '2', '3'].map((id) => ({ id, function: { name: 'add', arguments: '' } })),
  };
  const { messages, toolCalls } = await runAgent({
    ...{ model: script(many, say('.')).model, tools: [long], messages: task },
    limits: { resultCharacters: 10, maxCallsPerReply: 2 },
  });
  const cut = `${'x'.repeat(10)}\n… 90 more characters were left out; ask for a smaller part.`;
  expect([toolCalls, answersOf(messages)]).toEqual([2, [cut, cut, expect.stringContaining('may have 2 calls')]]);
});

test('a recorder hears each turn with its calls answered', async () => {
  const heard: number[] = [];
  const { model } = script(call('add', { a: 1, b: 1 }), say('2'));
  await runAgent({
    ...{ model, tools: [add], messages: task },
    recorder: { turn: (messages) => void heard.push(messages.length), end: () => void heard.push(-1) },
  });
  expect(heard).toEqual([3, 4, -1]);
});
