import { expect, test } from 'vitest';
import type { ScoredRollout } from '../group/collect-group.ts';
import { writeScoredData } from './write-scored-data.ts';

const sequence = (...tokens: number[]) => ({
  tokens: Int32Array.from(tokens),
  isSampled: Uint8Array.from(tokens, () => 1),
  logprobs: Float32Array.from(tokens, () => -1),
  policyRanges: [],
});

test('sequences say to which rollout they belong, and from which its history was rewritten', () => {
  const rollout = (rolloutId: string, ...sequences: ReturnType<typeof sequence>[]) =>
    ({ rolloutId, sequences, outcome: { kind: 'scored', reward: 1 } }) as unknown as ScoredRollout;
  const line = writeScoredData({
    rollouts: [rollout('a', sequence(1)), rollout('b', sequence(2), sequence(3), sequence(4)), rollout('c')],
    temperature: 1,
  });
  expect(JSON.parse(line)).toMatchObject({
    tokens: [[1], [2], [3], [4], []],
    rollout_ids: ['a', 'b', 'b', 'b', 'c'],
    fork_parents: [null, null, 1, 2, null],
  });
});
