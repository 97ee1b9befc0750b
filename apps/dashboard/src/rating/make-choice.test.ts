import { expect, test } from 'vitest';
import { choiceKey, makeChoice } from './make-choice.ts';

test('two whole trajectories have one key, whichever is better', () => {
  const [one, other] = [{ trajectory: 'b' }, { trajectory: 'a' }];
  expect(makeChoice(one, other, 'ada')).toEqual({
    ...{ kind: 'choice', trajectory_id: 'b', over: { trajectory_id: 'a' }, key: 'choice:a:b' },
    ...{ author: 'ada', author_kind: 'person' },
  });
  expect(choiceKey(other, one)).toBe(choiceKey(one, other));
});

test('each reply that was sampled again is a pair of its own with the first, also the first turn', () => {
  const told = { trajectory: 'a', turn: 0 };
  const keys = [0, 1].map((turn) => makeChoice({ trajectory: 'r', turn }, told, 'ada'));
  expect(keys).toMatchObject([
    { turn_index: 0, over: { trajectory_id: 'a', turn_index: 0 }, key: 'choice:a.0:r.0' },
    { turn_index: 1, key: 'choice:a.0:r.1' },
  ]);
});
