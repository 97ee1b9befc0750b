import { expect, test } from 'vitest';
import { defineEnvironment } from '../define-environment.ts';
import { countIds, never, toy, toyPolicy } from '../testing/toy-environment.fixture.ts';
import { checkEnvironment } from './check-environment.ts';

const check = (definition: typeof toy, policy?: typeof toyPolicy) =>
  checkEnvironment({ definition, policy, nextId: countIds(), now: () => 0, signal: never });

const verdicts = async (definition: typeof toy, policy?: typeof toyPolicy) =>
  Object.fromEntries(
    (await check(definition, policy)).map(({ name, verdict, detail }) => [name, `${verdict}: ${detail}`]),
  );

test('an environment in order passes, with a model and without', async () => {
  for (const policy of [undefined, toyPolicy]) {
    const lines = await check(toy, policy);
    expect(lines.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
  }
});

const base = {
  name: 'faulty',
  items: { train: ['a', 'b'], evaluation: ['c'] },
  formatPrompt: (item: string) => item,
  computeReward: () => 1,
  examples: () => ({ right: 'x', wrong: 'y' }),
};

test.each([
  ['loads', { setup: () => Promise.reject(new Error('no data')) }, 'wrong: no data'],
  [
    'gives items',
    { items: { train: { generate: () => Math.random() }, evaluation: [1] } },
    'wrong: the same seed gave another',
  ],
  [
    'splits stay apart',
    { items: { train: ['a'], evaluation: ['a'] } },
    'wrong: training item train-0 is evaluation item eval-0',
  ],
  ['splits stay apart', { items: { train: ['a'], evaluation: [] } }, 'wrong: there is no evaluation item'],
  ['grades its own examples', {}, 'wrong: a wrong answer is worth 1, a right one 1'],
  ['makes valid groups', { computeReward: () => 2 }, 'wrong: 64 sequences, rewards 2 to 2; keep them in 0 to 1'],
  ['makes valid groups', {}, 'open: 64 sequences, rewards 1 to 1: all equal'],
  ['evaluates', { computeReward: () => Promise.reject(new Error('x')) }, 'wrong: '],
])('%s: finds what is wrong', async (name, change, expected) => {
  const found = await verdicts(defineEnvironment({ ...base, ...change } as never));
  expect(found[name]).toContain(expected);
});
