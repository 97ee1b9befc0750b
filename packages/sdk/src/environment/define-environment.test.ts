import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createRandom } from './create-random.ts';
import { defineEnvironment } from './define-environment.ts';
import { Environment, readDefinition, toDefinition } from './environment.ts';
import type { AssembleGroupOptions } from './group/assemble-group.ts';
import type { ScoredRollout } from './group/collect-group.ts';
import { splitItems, type Drawn } from './split.ts';
import { openToy, toy } from './testing/toy-environment.fixture.ts';

test('the same seed gives the same items, another seed others', async () => {
  const draw = async (seed: string) => {
    const environment = await openToy({ seed });
    return Promise.all([0, 1, 2, 3].map(async (index) => (await environment.drawTrainItem(index))?.item));
  };
  expect(await draw('1')).toEqual(await draw('1'));
  expect(await draw('1')).not.toEqual(await draw('2'));
});

test('a list is gone through whole before an item comes again', async () => {
  const definition = defineEnvironment({
    name: 'list',
    items: { train: ['a', 'b', 'c'], evaluation: ['d'] },
    formatPrompt: (item) => item,
    computeReward: () => 1,
  });
  const environment = await openToy({}, definition);
  const drawn = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => environment.drawTrainItem(index)));
  const items = drawn.map((each) => each?.item as string);
  expect(items.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
  expect(items.slice(3).toSorted()).toEqual(['a', 'b', 'c']);
  expect((await environment.listEvaluationItems()).map(({ item }) => item)).toEqual(['d']);
});

test('an evaluation item fits nowhere where a group is made', () => {
  expectTypeOf<Drawn<'eval'>>().not.toExtend<Drawn<'train'>>();
  expectTypeOf<Drawn<'train'>>().not.toExtend<Drawn<'eval'>>();
  expectTypeOf<ScoredRollout<'eval'>[]>().not.toExtend<AssembleGroupOptions['rollouts']>();
});

test('setup, own config and state reach the functions', async () => {
  const definition = defineEnvironment({
    name: 'own',
    config: z.object({ factor: z.int().default(2) }),
    defaults: { group_size: 3 },
    setup: ({ config }) => ({ table: [1, 2, 3].map((each) => each * config.factor) }),
    items: ({ state, random }) => splitItems(state.table, { random, evaluationSize: 1 }),
    formatPrompt: (item, { config, state }) => `${item} ${config.factor} ${state.table.length} ${config.group_size}`,
    computeReward: () => 0,
  });
  const environment = await openToy({ factor: '5' }, definition);
  const drawn = (await environment.drawTrainItem(0))!;
  const context = { config: environment.config, state: environment.state } as never;
  expect(await environment.formatPrompt(drawn, context)).toMatch(/^(5|10|15) 5 3 3$/);
});

test('max(20, 10 %) is held out, and never more than half', () => {
  const sizes = (count: number) => {
    const { train, evaluation } = splitItems(
      Array.from({ length: count }, (_, index) => index),
      { random: createRandom(0) },
    );
    expect(new Set([...train, ...evaluation]).size).toBe(count);
    return evaluation.length;
  };
  expect([sizes(1000), sizes(100), sizes(10)]).toEqual([100, 20, 5]);
});

class Sums extends Environment<{ left: number; right: number }> {
  override readonly name = 'sums';
  override readonly description = 'Adds.';
  getNextItem(index: number) {
    return { left: index, right: this.random.fork(index).integer(0, 9) };
  }
  getEvaluationItems() {
    return [{ left: -1, right: 2 }];
  }
  override formatPrompt(item: { left: number; right: number }) {
    return `${item.left} + ${item.right}`;
  }
  override computeReward(item: { left: number; right: number }, result: { finalResponse: string }) {
    return { reward: Number(result.finalResponse) === item.left + item.right ? 1 : 0, signals: { length: 1 } };
  }
}

test('a class becomes the same kind of definition', async () => {
  const definition = toDefinition(Sums);
  expect([definition.name, definition.description]).toEqual(['sums', 'Adds.']);
  const environment = await openToy({}, definition);
  const drawn = (await environment.drawTrainItem(3))!;
  expect(await environment.formatPrompt(drawn, {} as never)).toMatch(/^3 \+ \d$/);
  expect(await environment.computeReward(drawn, { finalResponse: 'x' } as never, {} as never)).toMatchObject({
    reward: 0,
  });
  expect(readDefinition(Sums)?.name).toBe('sums');
  expect(readDefinition(toy)).toBe(toy);
  expect(readDefinition(Map)).toBeUndefined();
});

test('a class without a grade is refused with what to write', () => {
  class Half extends Environment {
    override readonly name = 'half';
    getNextItem() {
      return undefined;
    }
    getEvaluationItems() {
      return [];
    }
  }
  expect(() => toDefinition(Half)).toThrow(/computeReward/);
  expect(() => defineEnvironment({ name: 'no name' } as never)).toThrow(/cannot be the name/);
});
