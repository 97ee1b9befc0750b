import { createIdSource } from '@lachesis/protocol';
import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assistant, createCall, createMemoryBlobs, user } from './captures.case.ts';
import { prepareRecord } from './capture-state.ts';
import type { CaptureState } from './capture-state.ts';
import { planCaptures } from './plan-captures.ts';
import { readRequest } from './read-conversation.ts';
import { decodeTurn } from './turn-payload.ts';

function createState(): CaptureState {
  return {
    receipts: new Map(),
    trajectories: new Map(),
    byKey: new Map(),
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
