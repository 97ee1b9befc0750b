import { readRequest } from '@lachesis/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexTurns, pathTo, promptsOf } from './conversation-at.ts';
import { makeTrajectory, reply, user } from './recorded-trajectory.fixture.ts';

const arbitraryTurns = fc.array(
  fc.record({ parent: fc.nat(), isFirst: fc.boolean(), cut: fc.nat(3), sent: fc.nat(2), replies: fc.nat(2) }),
  { minLength: 1, maxLength: 8 },
);

test('the prompts of all turns are those that the store reads one by one', () => {
  fc.assert(
    fc.property(arbitraryTurns, (inputs) => {
      const lengths: number[] = [];
      const { turns } = makeTrajectory(
        inputs.map(({ parent, isFirst, cut, sent, replies }, at) => {
          const from = at === 0 || isFirst ? null : parent % at;
          const kept = from === null ? 0 : Math.max(0, (lengths[from] ?? 0) - cut);
          lengths.push(kept + sent + Math.min(1, replies));
          return {
            parent: from,
            kept,
            messages: Array.from({ length: sent }, (_unused, place) => user(`${at}.${place}`)),
            replies: Array.from({ length: replies }, (_unused, place) => reply(`${at}:${place}`)),
          };
        }),
      );
      const prompts = promptsOf(indexTurns(turns.toReversed()));
      for (const { turn_index } of turns) expect(prompts.get(turn_index)).toEqual(readRequest(turns, turn_index));
    }),
  );
});

test('a path goes from the first turn to the one asked for', () => {
  const { turns } = makeTrajectory([{ messages: [] }, { messages: [] }, { parent: 0, messages: [] }]);
  expect(pathTo(indexTurns(turns), 2).map(({ turn_index }) => turn_index)).toEqual([0, 2]);
});
