import { expect, test } from 'vitest';
import type { Completion } from '../policy/policy.ts';
import { joinTurns } from './join-turns.ts';

const turn = (prompt: number[], tokens: number[], version = 1): Completion => ({
  text: '',
  message: { role: 'assistant' },
  promptTokens: Int32Array.from(prompt),
  tokens: Int32Array.from(tokens),
  logprobs: Float32Array.from(tokens, (token) => -token),
  finishReason: 'stop',
  policyVersion: version,
});

test('turns that extend each other become one sequence with only the replies sampled', () => {
  const joined = joinTurns([turn([1, 2], [3, 4]), turn([1, 2, 3, 4, 9, 9], [5], 2)], 'refuse');
  if ('refusal' in joined) throw new Error(joined.refusal);
  expect(joined.sequences).toHaveLength(1);
  const [sequence] = joined.sequences;
  expect([...sequence!.tokens]).toEqual([1, 2, 3, 4, 9, 9, 5]);
  expect([...sequence!.isSampled]).toEqual([0, 0, 1, 1, 0, 0, 1]);
  expect([...sequence!.logprobs]).toEqual([1, 1, -3, -4, 1, 1, -5]);
  expect(sequence!.policyRanges).toEqual([
    [2, 4, 1],
    [6, 7, 2],
  ]);
});

test('a rewritten history is refused with the token where it differs', () => {
  expect(joinTurns([turn([1, 2], [3, 4]), turn([1, 2, 3, 7], [5])], 'refuse')).toEqual({
    refusal: expect.stringContaining('turn 2 does not begin with turn 1 (they differ at token 3)'),
  });
});

test('or becomes one sequence per kept stretch', () => {
  const joined = joinTurns([turn([1], [2]), turn([1, 2, 3], [4]), turn([1, 8], [9]), turn([1, 8, 9, 1], [6])], 'split');
  if ('refusal' in joined) throw new Error(joined.refusal);
  expect(joined.wasSplit).toBe(true);
  expect(joined.sequences.map(({ tokens }) => [...tokens])).toEqual([
    [1, 2, 3, 4],
    [1, 8, 9, 1, 6],
  ]);
});

test('ranges inside a reply move with it', () => {
  const spanning: Completion = {
    ...turn([1, 1], [3, 4, 5]),
    policyRanges: [
      [0, 1, 4],
      [1, 3, 5],
      [3, 3, 6],
    ],
  };
  const joined = joinTurns([spanning], 'refuse');
  expect('sequences' in joined && joined.sequences[0]!.policyRanges).toEqual([
    [2, 3, 4],
    [3, 5, 5],
  ]);
});
