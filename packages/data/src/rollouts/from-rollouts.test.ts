import { dataRecordSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { pairEnds } from './pair-ends.ts';
import { pickBest } from './pick-best.ts';
import type { RolledOutGroup } from './rolled-out-group.ts';

const say = (reply: string) => [
  { role: 'user' as const, content: '1+2=' },
  { role: 'assistant' as const, content: reply },
];

const group = (...scores: number[]): RolledOutGroup => ({
  id: 'g1',
  origin: { run: 'rl-a', step: 3 },
  rollouts: scores.map((score, place) => ({
    ...{ id: `r${place}`, score, messages: say(`${score} by ${place}`) },
    tokens: { token_ids: [1, 2], mask: [0, 1], logprobs: [0, -1] },
  })),
});

test('the best attempt of a group is a row with its reward, its tokens and where it was sampled', () => {
  const row = dataRecordSchema.parse(pickBest(group(0.1, 0.9, 0.9, 0.4)));
  expect(row).toMatchObject({
    ...{ id: 'r1', reward: 0.9, messages: say('0.9 by 1'), tokens: { token_ids: [1, 2] }, consent: 'train' },
    extra: { rollout: { run: 'rl-a', step: 3, group_id: 'g1', rollout_id: 'r1', score: 0.9 } },
  });
});

test('what earned too little teaches nothing', () => {
  expect(pickBest(group(0, -1))).toEqual({ leftOut: 'its best attempt earned nothing' });
  expect(pickBest(group(0, -1), { minScore: 0 })).toMatchObject({ reward: 0 });
  expect(pickBest(group(0.4), { minScore: 0.5 })).toEqual({ leftOut: 'its best attempt earned less than 0.5' });
});

test('the ends of a group are a pair that begins where they part', () => {
  const pair = dataRecordSchema.parse(pairEnds(group(0.4, 1, 0.2)));
  expect(pair).toMatchObject({
    prompt: [{ role: 'user', content: '1+2=' }],
    chosen: [{ role: 'assistant', content: '1 by 1' }],
    rejected: [{ role: 'assistant', content: '0.2 by 2' }],
    extra: { rollout: { chosen: { rollout_id: 'r1' }, rejected: { rollout_id: 'r2', score: 0.2 } } },
  });
});

test('a group without two ends is no pair, with the reason', () => {
  expect(pairEnds(group(1, 1))).toEqual({ leftOut: 'all its attempts earned the same' });
  expect(pairEnds(group(0.5, 0.4), { minDifference: 0.2 })).toEqual({ leftOut: 'its ends are less than 0.2 apart' });
  expect(pairEnds(group(0.5, 0), { minScore: 0.6 })).toEqual({ leftOut: 'its best attempt earned less than 0.6' });
  const [first, second] = group(1, 0).rollouts;
  const other = [{ role: 'user' as const, content: 'hi' }, ...second!.messages];
  expect(pairEnds({ ...group(), rollouts: [first!, { ...second!, messages: other }] })).toEqual({
    leftOut: 'its best and its worst attempt do not begin with the same prompt',
  });
  expect(pairEnds({ ...group(), rollouts: [{ ...first!, messages: [] }] })).toEqual({
    leftOut: 'no conversation came with its tokens',
  });
});
