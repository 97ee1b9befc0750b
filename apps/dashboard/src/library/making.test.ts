import { datasetMakeSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { readMaking, writeMakingFlags } from './making.ts';

const WORDS = { kind: 'preference', complete: 'true', dedupe: 'prompt', split: 'train=0.9,test=0.1', held: 'true' };

test('an address becomes what the route takes', () => {
  expect(datasetMakeSchema.parse(readMaking(WORDS))).toMatchObject({
    ...{ kind: 'preference', is_held_out: true, held_out: 'refuse' },
    transforms: [
      { kind: 'complete' },
      { kind: 'dedupe', by: 'prompt' },
      { kind: 'split', seed: '0', shares: { train: 0.9, test: 0.1 } },
    ],
  });
  expect(readMaking({})).toEqual({
    kind: 'conversation',
    ...{ is_held_out: false, held_out: 'refuse', transforms: [] },
  });
});

test('and the flags of the command that does the same', () => {
  expect(writeMakingFlags(WORDS)).toBe(' --pairs --complete --dedupe prompt --split train=0.9,test=0.1 --held-out');
  expect(writeMakingFlags({ leave: 'true', weights: 'rating' })).toBe(' --weights rating --leave-out-held-out');
});
