import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceStream } from './capture-stream.ts';
import type { StreamState } from './capture-stream.ts';

function createState(): StreamState {
  return { recorder: 'r', stream: '', nextSequence: 0, gaps: [], version: 0, isChanged: false };
}

test('what is missing is what did not come, in whatever order the rest came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), (sequences) => {
      const state = createState();
      for (const sequence of sequences) advanceStream(state, sequence, 't');
      const missing = state.gaps.flatMap(([from, to]) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
      const came = new Set(sequences);
      const expected = Array.from({ length: Math.max(-1, ...sequences) + 1 }, (_, index) => index).filter(
        (one) => !came.has(one),
      );
      expect(missing).toEqual(expected);
    }),
  );
});

test('a gap belongs to the trajectory of the record after it', () => {
  const state = createState();
  expect(advanceStream(state, 0, 'a')).toEqual([]);
  expect(advanceStream(state, 3, 'b')).toEqual(['b']);
  expect(advanceStream(state, 1, 'c')).toEqual(['b']);
  expect(state.gaps).toEqual([[2, 2, 'b']]);
  expect(advanceStream(state, 0, 'd')).toEqual([]);
});
