import { expect, test } from 'vitest';

import { abstained, failed, isOutcome, scored } from './outcome.ts';

test('only a scored rollout has a number', () => {
  expect(scored(0)).toEqual({ kind: 'scored', reward: 0 });
  expect(scored(0.5, { correctness: 1 }, ['heuristic:keywords'])).toEqual({
    kind: 'scored',
    reward: 0.5,
    signals: { correctness: 1 },
    marks: ['heuristic:keywords'],
  });
  expect(failed('timeout', 'the tests ran for 30 s')).toEqual({
    kind: 'failed',
    failure: 'timeout',
    reason: 'the tests ran for 30 s',
  });
  expect(abstained('no rule fits')).toEqual({ kind: 'abstained', reason: 'no rule fits' });
});

test.each([[NaN], [Infinity], [-Infinity]])('a reward of %s is a failure of what graded, not a number', (reward) => {
  expect(scored(reward)).toMatchObject({ kind: 'failed', failure: 'verifier' });
  expect(scored(1, { speed: reward })).toMatchObject({ kind: 'failed', reason: expect.stringContaining('speed') });
});

test('outcomes are told from numbers and other objects', () => {
  const values = [scored(1), failed('verifier', 'x'), abstained('x'), 1, null, { kind: 'other' }, 'scored'];
  expect(values.map(isOutcome)).toEqual([true, true, true, false, false, false, false]);
});
