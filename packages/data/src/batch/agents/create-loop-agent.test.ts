import type { ChatMessage } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import {
  type AgentModel,
  defineTool,
  drawToolsets,
  type ModelReply,
  openToolsets,
  TOOLSET_DISTRIBUTIONS,
} from '@lachesis/sdk/agent';
import { createLocalProvider } from '@lachesis/sdk/sandbox';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { BatchTask, BatchTurn } from '../batch-agent.ts';
import { makeSettings } from '../batch-world.fixture.ts';
import { createCostMeter } from '../cost-meter.ts';
import { drawNumbers } from '../draw-numbers.ts';
import { createLoopAgent, type LoopAgentOptions } from './create-loop-agent.ts';

const never = new AbortController().signal;
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const say = (content: string): ModelReply => ({ message: { role: 'assistant', content }, finishReason: 'stop', usage });
const call = (id: string): ModelReply => ({
  message: {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, type: 'function', function: { name: 'web_search', arguments: '{"q":"x"}' } }],
  },
  finishReason: 'tool_calls',
  usage,
});

const search = defineTool({
  name: 'web_search',
  description: 'Finds.',
  input: z.object({ q: z.string() }),
  execute: async ({ q }) => ({ found: q }),
});

function open(replies: (ModelReply | Error)[], given: Partial<LoopAgentOptions> = {}) {
  const asked: (readonly ChatMessage[])[] = [];
  const model: AgentModel = async ({ messages }) => {
    asked.push([...messages]);
    const reply = replies.shift();
    if (reply === undefined) throw new Error('asked once too often');
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const agent = createLoopAgent({
    ...{
      settings: makeSettings({ distribution: 'minimal' }),
      model,
      meter: createCostMeter(),
      toolsets: { web: [search] },
    },
    ...{
      sandboxes: () => Promise.reject(new Error('none')) as never,
      owner: 'test',
      stopping: never,
      findCost: () => 0.1,
    },
    ...given,
  });
  const turns: BatchTurn[] = [];
  const task = (before: readonly BatchTurn[] = []): BatchTask => ({
    ...{ index: 0, attempt: 1, input: { prompt: 'find x' }, turns: before, signal: never },
    onTurn: async (turn) => void turns.push(turn),
  });
  return { agent, asked, turns, task };
}

it('tells each turn that is over before the next is asked for', async () => {
  const { agent, asked, turns, task } = open([call('1'), call('2'), say('done')]);
  const answer = await agent.run(task());
  expect(turns.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ['assistant', 'tool'],
    ['assistant', 'tool'],
  ]);
  expect(answer).toMatchObject({ completed: true, api_calls: 3, toolsets_used: ['web'], usage: { total_tokens: 36 } });
  expect(answer.cost).toBeCloseTo(0.3);
  expect(answer.messages).toHaveLength(6);
  expect(asked).toHaveLength(3);
});

it('goes on behind the turns of the record, and ends as it would have', async () => {
  const whole = open([call('1'), call('2'), say('done')]);
  const expected = await whole.agent.run(whole.task());
  const rest = open([say('done')]);
  const answer = await rest.agent.run(rest.task(whole.turns));
  expect(answer).toEqual(expected);
  expect(rest.asked).toHaveLength(1);
  const last = { messages: [{ role: 'assistant', content: 'done' }], finish_reason: 'stop', usage, cost: 0.1 };
  const none = open([]);
  expect(await none.agent.run(none.task([...whole.turns, last]))).toEqual(expected);
  expect(none.asked).toEqual([]);
});

it('builds a lost sandbox again from the record, and the model still reads the answers of the record', async () => {
  const provider = createLocalProvider();
  const run = (id: string, command: string): ModelReply => ({
    ...{ finishReason: 'tool_calls', usage },
    message: {
      ...{ role: 'assistant', content: '' },
      tool_calls: [{ id, type: 'function', function: { name: 'terminal', arguments: JSON.stringify({ command }) } }],
    },
  });
  const settings = makeSettings({ distribution: 'terminal_only', sandbox: 'local' });
  const given = { settings, toolsets: {}, sandboxes: () => provider };
  const first = open([run('1', 'echo kept > f; date +%N'), new Error('the lights went out')], given);
  await expect(first.agent.run(first.task())).rejects.toThrow('lights');
  expect(first.turns).toHaveLength(1);
  const second = open([run('2', 'cat f'), say('done')], given);
  const { messages, rebuilt_differently: differences } = await second.agent.run(second.task(first.turns));
  expect(messages.slice(1, 3)).toEqual(first.turns[0]?.messages);
  expect(JSON.stringify(messages[4])).toContain('kept');
  // The time that the first command printed is another one now.
  expect(differences).toBe(1);
  await provider.close();
});

it('sends the ephemeral prompt and the prefill, and keeps neither', async () => {
  const settings = makeSettings({
    ...{ distribution: 'minimal', ephemeral_system_prompt: 'be brief' },
    prefill_messages: [{ role: 'user', content: 'hello' }],
  });
  const { agent, asked, task } = open([say('done')], { settings });
  const { messages } = await agent.run(task());
  expect(asked[0]?.map(({ content }) => content)).toEqual(['be brief', 'hello', 'find x']);
  expect(messages.map(({ content }) => content)).toEqual(['find x', 'done']);
});

it('is refused with what to configure where the distribution has tools that are not there, or says so in every row', async () => {
  const settings = makeSettings({ distribution: 'creative' });
  expect(() => open([], { settings, missing: [{ toolset: 'vision', configure: 'set tools.vision' }] })).toThrow(
    'Nothing was asked: the distribution "creative" draws image_gen, vision, and their tools are not configured. Configure them:\n  image_gen: hand its tools in as `toolsets`\n  vision: set tools.vision\nor',
  );
  const allowed = open([say('done')], { settings: { ...settings, allow_missing_tools: true } });
  expect((await allowed.agent.run(allowed.task())).missing_toolsets).toEqual(['image_gen', 'vision']);
});

it('remembers after a crash what was noted before it', async () => {
  const { toolsets } = await openToolsets({ wanted: ['memory'], env: {} });
  const settings = makeSettings({ distribution: 'notes', distributions: { notes: { memory: 100 } } });
  const note = (id: string, args: object) => ({
    message: {
      ...{ role: 'assistant', content: null },
      tool_calls: [{ id, type: 'function', function: { name: 'memory', arguments: JSON.stringify(args) } }],
    },
    finishReason: 'tool_calls',
  });
  const turn: BatchTurn = {
    messages: [
      note('1', { action: 'add', content: 'moss' }).message,
      { role: 'tool', tool_call_id: '1', content: '{}' },
    ],
    ...{ finish_reason: 'tool_calls', usage: null, cost: null },
  };
  const { agent, task } = open([note('2', { action: 'list' }), say('done')], { settings, toolsets });
  const { messages } = await agent.run(task([turn]));
  expect(messages.at(-2)?.content).toContain('"entries":["moss"]');
});

it('says of a failure whether the conversation is to blame', async () => {
  const failed = (status: number, retryable: boolean) =>
    new ClientError({ code: 'http', call: 'POST x', reason: 'no', status, retryable });
  const tooLong = open([failed(400, false)]);
  await expect(tooLong.agent.run(tooLong.task())).rejects.toMatchObject({ kind: 'attempt', isStartingOver: true });
  const away = open([failed(503, true)]);
  await expect(away.agent.run(away.task())).rejects.toMatchObject({ kind: 'attempt', isStartingOver: false });
  const empty = open([say(' ')]);
  await expect(empty.agent.run(empty.task())).rejects.toMatchObject({ kind: 'attempt', cost: 0.1 });
});

it('ends between two turns when the work is ended, with the turn kept', async () => {
  const ending = new AbortController();
  const { agent, turns, task, asked } = open([call('1'), say('never asked')], { stopping: ending.signal });
  const running = agent.run({ ...task(), onTurn: async (turn) => (turns.push(turn), ending.abort()) });
  await expect(running).rejects.toMatchObject({ kind: 'released' });
  expect([turns.length, asked.length]).toEqual([1, 1]);
});

it('draws the same toolsets for the same seed and prompt from all seventeen distributions, whoever draws', () => {
  const drawAll = (seed: number): (readonly string[])[] =>
    Object.keys(TOOLSET_DISTRIBUTIONS).map((distribution) =>
      drawToolsets({ distribution, next: drawNumbers(seed, 5) }),
    );
  expect(drawAll(7)).toHaveLength(17);
  expect(drawAll(7)).toEqual(drawAll(7));
  expect(drawAll(7)).not.toEqual(drawAll(8));
  const draw = (seed: number, index: number): number[] => {
    const next = drawNumbers(seed, index);
    return [next(), next(), next()];
  };
  expect(draw(7, 3)).toEqual(draw(7, 3));
  expect(draw(7, 3)).not.toEqual(draw(7, 4));
  expect(draw(8, 3)).not.toEqual(draw(7, 3));
  const mean = Array.from({ length: 2_000 }, (_, index) => drawNumbers(1, index)()).reduce((a, b) => a + b) / 2_000;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
});
