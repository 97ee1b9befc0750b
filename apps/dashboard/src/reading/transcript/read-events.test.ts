import { expect, test } from 'vitest';
import type { TrajectoryTurn } from '@lachesis/protocol';
import { readEvents, readMessageEvents } from './read-events.ts';

const turn = (index: number, rest: Partial<TrajectoryTurn>): TrajectoryTurn => ({
  ...{
    turn_id: `t${index}`,
    turn_index: index,
    parent_index: index === 0 ? null : index - 1,
    kept_messages: 0,
    kind: 'call',
  },
  ...{
    state: 'complete',
    messages: [],
    tools: null,
    sampling: null,
    replies: [],
    model: null,
    upstream: null,
    usage: null,
  },
  ...{ cost: null, is_stream: false, error: null, started_at: 0, first_token_at: null, ended_at: 0 },
  ...rest,
});

const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const reply = (message: TrajectoryTurn['replies'][number]['message'], finish = 'stop') => ({
  ...{ message, finish_reason: finish, tokens: null, tokens_missing: null },
});

test('a call and its answer are one row', () => {
  const events = readEvents([
    turn(0, {
      messages: [{ role: 'user', content: 'hi' }],
      replies: [reply({ role: 'assistant', content: null, tool_calls: [call] })],
    }),
    turn(1, {
      messages: [{ role: 'tool', tool_call_id: 'c1', content: 'sunny' }],
      replies: [reply({ role: 'assistant', content: 'Sunny.' })],
    }),
  ]);
  expect(events.map(({ kind, turn, isFirst }) => [kind, turn, isFirst])).toEqual([
    ['message', 0, true],
    ['tool', 0, false],
    ['message', 1, true],
  ]);
  expect(events[1]).toMatchObject({ name: 'weather', result: 'sunny' });
});

test('forks, errors and replies that were cut off are marked', () => {
  const events = readEvents([
    turn(0, { messages: [{ role: 'user', content: 'hi' }] }),
    turn(1, { replies: [reply({ role: 'assistant', content: 'a' }, 'length')] }),
    turn(2, { parent_index: 0, error: { message: 'busy', status: 429 } }),
  ]);
  expect(events.map(({ isFork }) => isFork)).toEqual([false, false, true]);
  expect(events[1]).toMatchObject({ ended: 'length' });
  expect(events[2]).toMatchObject({ kind: 'error', status: 429, parent: 0 });
});

test('an answer to a call that was never recorded is still a row', () => {
  expect(readMessageEvents([{ role: 'tool', content: 'x', name: 'search' }])).toMatchObject([
    { kind: 'tool', name: 'search', result: 'x' },
  ]);
});
