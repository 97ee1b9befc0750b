import { createIdSource } from '@lachesis/protocol';
import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assistant, createCall, createMemoryBlobs, user } from '../captures.fixture.ts';
import { prepareRecord } from './capture-state.ts';
import type { CaptureState } from './capture-state.ts';
import { planCaptures } from './plan-captures.ts';
import { readRequest } from '../read-conversation.ts';
import { decodeTurn } from './turn-payload.ts';

function createState(): CaptureState {
  return {
    receipts: new Map(),
    trajectories: new Map(),
    byKey: new Map(),
    takenIds: new Set(),
    replies: new Map(),
    streams: new Map(),
    forgotten: new Map(),
  };
}

/** Few texts, so that conversations share beginnings, fork, repeat and come back. */
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.constantFrom('a', 'b', 'c') });

test('every request is given back as it was sent, however the calls fork', () => {
  const blobs = createMemoryBlobs();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.array(message, { minLength: 1, maxLength: 6 }), fc.constantFrom('a', 'b', 'c')), {
        maxLength: 12,
      }),
      fc.boolean(),
      (calls, isKeyed) => {
        const state = createState();
        const prepared = calls.map(([messages, reply], sequence) =>
          prepareRecord(createCall({ messages, reply: assistant(reply), sequence, trajectory: isKeyed ? 'k' : null })),
        );
        const { receipts } = planCaptures({ state, prepared, ids: createIdSource(), owner: null });
        for (const [index, [messages]] of calls.entries()) {
          const { trajectory_id: id, turn_index: turnIndex } = receipts[index]!;
          const turns = state.trajectories.get(id)!.newTurns.map(({ row, encoded }) => ({
            ...row,
            ...(decodeTurn(encoded.payload!, blobs) as TrajectoryTurn),
          }));
          expect(readRequest(turns as TrajectoryTurn[], turnIndex!)).toEqual(messages);
        }
      },
    ),
  );
});

test('a growing conversation stores each message once', () => {
  const state = createState();
  const messages: ChatMessage[] = [];
  const prepared = Array.from({ length: 20 }, (_, sequence) => {
    messages.push(user(`q${sequence}`));
    const call = prepareRecord(createCall({ sequence, messages: [...messages], reply: assistant(`a${sequence}`) }));
    messages.push(assistant(`a${sequence}`));
    return call;
  });
  planCaptures({ state, prepared, ids: createIdSource(), owner: null });
  const [trajectory] = state.trajectories.values();
  expect(state.trajectories.size).toBe(1);
  expect(
    trajectory?.newTurns.map(({ row }) => [row.parent_index, row.kept_messages, row.prefixes.length / 16]),
  ).toEqual(Array.from({ length: 20 }, (_, index) => [index === 0 ? null : index - 1, index * 2, 2]));
});

test('of two equal conversations the one nobody went on with is continued', () => {
  const state = createState();
  const first = [user('q')];
  const next = [...first, assistant('a'), user('more')];
  const calls = [first, first, next, next].map((messages, sequence) =>
    prepareRecord(createCall({ messages, sequence, reply: assistant(sequence < 2 ? 'a' : 'end') })),
  );
  const { receipts } = planCaptures({ state, prepared: calls, ids: createIdSource(), owner: null });
  const ids = receipts.map(({ trajectory_id: id }) => id);
  expect(new Set(ids).size).toBe(2);
  expect([ids[2], ids[3]]).toEqual([ids[1], ids[0]]);
});

const asking = (id: string | undefined): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ ...(id === undefined ? {} : { id }), type: 'function', function: { name: 'look', arguments: '{}' } }],
});
const found = (id: string | undefined): ChatMessage => ({
  role: 'tool',
  content: 'nothing',
  ...(id === undefined ? {} : { tool_call_id: id }),
});

/** Two runs of the same words, each a call of a tool and a last word, in the order their calls are named. */
function planRuns(
  order: readonly string[],
  trajectory: string | null,
  idOf = (run: string): string | undefined => run,
) {
  const begun = new Set<string>();
  const prepared = order.map((run, sequence) => {
    const isFirst = !begun.has(run);
    begun.add(run);
    const messages = isFirst ? [user('q')] : [user('q'), asking(idOf(run)), found(idOf(run))];
    const reply = isFirst ? asking(run) : assistant('I do not know.');
    return prepareRecord(createCall({ messages, reply, sequence, trajectory }));
  });
  const state = createState();
  return { state, plan: planCaptures({ state, prepared, ids: createIdSource(), owner: null }), prepared };
}

test('a labelled conversation that is run twice goes on where its call ids are', () => {
  const { state, plan } = planRuns(['call_1', 'call_1', 'call_46', 'call_46'], 'k');
  const { newTurns } = state.byKey.get('k')!;
  expect(newTurns.map(({ row }) => [row.parent_index, row.kept_messages])).toEqual([
    [null, 0],
    [0, 2],
    [0, 1],
    [2, 2],
  ]);
  const turns = newTurns.map(({ row, encoded }) => ({
    ...row,
    ...(decodeTurn(encoded.payload!, createMemoryBlobs()) as TrajectoryTurn),
  }));
  expect(readRequest(turns as TrajectoryTurn[], plan.receipts[3]!.turn_index!)).toEqual([
    user('q'),
    asking('call_46'),
    found('call_46'),
  ]);
});

test('runs of the same words side by side stay apart by their call ids', () => {
  const { plan } = planRuns(['a', 'b', 'a', 'b'], null);
  const [first, second, third, fourth] = plan.receipts.map(({ trajectory_id: id }) => id);
  expect([third, fourth]).toEqual([first, second]);
  expect(first).not.toBe(second);
});

test('a client that leaves the ids of calls out is told by the words', () => {
  const { state } = planRuns(['a', 'a'], 'k', () => undefined);
  expect(state.byKey.get('k')!.newTurns.map(({ row }) => [row.parent_index, row.kept_messages])).toEqual([
    [null, 0],
    [0, 2],
  ]);
});
