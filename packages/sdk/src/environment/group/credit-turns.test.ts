import { expect, test } from 'vitest';
import { rescored, scored, type Scored } from '../outcome.ts';
import { creditTurns } from './credit-turns.ts';

const outcome = (reward: number, turns?: readonly number[]): Scored =>
  scored(reward, turns === undefined ? undefined : { turns }) as Scored;

test('rewards of turns are no signals, and must be finite', () => {
  expect(scored(1, { turns: [0, 1] })).toEqual({ kind: 'scored', reward: 1, turns: [0, 1] });
  expect(scored(1, { turns: [0.5], correct: 1 })).toEqual({
    ...{ kind: 'scored', reward: 1, turns: [0.5], signals: { correct: 1 } },
  });
  expect(scored(1, { turns: 3 })).toEqual({ kind: 'scored', reward: 1, signals: { turns: 3 } });
  expect(scored(1, { turns: [0, Number.NaN] })).toMatchObject({
    ...{ kind: 'failed', reason: expect.stringContaining('turn 2') },
  });
  expect(rescored(outcome(1, [0, 1]), 0.5, ['late'])).toEqual({
    ...{ kind: 'scored', reward: 0.5, turns: [0, 1], marks: ['late'] },
  });
});

test('without rewards of turns there is nothing to credit', () => {
  expect(creditTurns([outcome(0), outcome(1)], [2, 2])).toBeUndefined();
});

test('a turn is credited with the reward, and with what it and the turns after it earned', () => {
  const credited = creditTurns([outcome(1, [0, 1]), outcome(0, [1, 0])], [2, 2]);
  // To go: [1, 1] and [1, 0]; their means 1 and 0.5.
  expect(credited?.map((values) => [...values])).toEqual([
    [0.5, 1],
    [-0.5, -1],
  ]);
});

test('a turn is compared with those who came to it, and one that nobody rewarded has earned nothing', () => {
  const credited = creditTurns([outcome(0, [0, 0, 3]), outcome(0, [1]), outcome(0)], [3, 2, 1]);
  expect(credited?.map((values) => [...values].map((value) => Math.round(value * 1000) / 1000))).toEqual([
    [1.667, 1.5, 0],
    [-0.333, -1.5],
    [-1.333],
  ]);
});
