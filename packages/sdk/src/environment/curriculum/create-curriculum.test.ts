import { expect, test } from 'vitest';
import { failed, scored, type Outcome } from '../outcome.ts';
import { drawItem } from '../split.ts';
import { createCurriculum, type Curriculum, type CurriculumConfig } from './create-curriculum.ts';

const ITEMS = 8;
const FREE: CurriculumConfig = {
  ...{ curriculum: 'none', min_pass_rate: 0, max_pass_rate: 1, group_size: 4, replay_rare: 0 },
};

/** Items 0 to 7 in turn, for ever. */
const open = (config: Partial<CurriculumConfig> = {}, start = 0): Curriculum =>
  createCurriculum({
    config: { ...FREE, ...config },
    drawAt: async (position) => drawItem('train', `item-${position % ITEMS}`, position, position),
    start,
  });

const outcomes = (passed: number, of = 4): Outcome[] =>
  Array.from({ length: of }, (_, index) => scored(index < passed ? 1 : 0));

async function drawMany(curriculum: Curriculum, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) keys.push((await curriculum.draw())?.key.slice('item-'.length) ?? '-');
  return keys;
}

test('without a curriculum items come as the environment draws them, from the place where it begins', async () => {
  const curriculum = open({}, 3);
  curriculum.rate('item-4', outcomes(0));
  expect((await drawMany(curriculum, 7)).join('')).toBe('3456701');
  expect(curriculum.takeCounts()).toEqual({ setAside: 0, replayed: 0 });
});

test('items out of bounds are set aside and tried again each fourth time', async () => {
  const curriculum = open({ min_pass_rate: 0.1, max_pass_rate: 0.9 });
  curriculum.rate('item-0', outcomes(0));
  curriculum.rate('item-1', outcomes(4));
  curriculum.rate('item-2', outcomes(1));
  // Fewer rollouts than a group, and none with a number: nothing is known of these.
  curriculum.rate('item-3', outcomes(0, 3));
  curriculum.rate('item-4', [failed('timeout', 'late')]);
  expect((await drawMany(curriculum, 6 * 3)).join('')).toBe('234567'.repeat(3));
  expect(curriculum.takeCounts()).toEqual({ setAside: 6, replayed: 0 });
  expect(curriculum.takeCounts()).toEqual({ setAside: 0, replayed: 0 });
  expect((await drawMany(curriculum, 8)).join('')).toBe('01234567');
  // What was too hard is not any more.
  curriculum.rate('item-0', outcomes(2));
  expect((await drawMany(curriculum, 7)).join('')).toBe('0234567');
});

test('where every item is out of bounds there still is one', async () => {
  const curriculum = open({ max_pass_rate: 0.5 });
  for (let item = 0; item < ITEMS; item += 1) curriculum.rate(`item-${item}`, outcomes(4));
  expect(await drawMany(curriculum, 16)).not.toContain('-');
});

test.each([
  { curriculum: 'easy_first', first: '5', last: '0' },
  { curriculum: 'frontier', first: '3', last: '0' },
] as const)('$curriculum takes of the next items the one it prefers, and every one in the end', async (given) => {
  const curriculum = open({ curriculum: given.curriculum });
  curriculum.know([
    { item: 'item-0', rollouts: 40, passed: 0 },
    { item: 'item-3', rollouts: 40, passed: 20 },
    { item: 'item-5', rollouts: 40, passed: 40 },
    ...[1, 2, 4, 6, 7].map((item) => ({ item: `item-${item}`, rollouts: 40, passed: 8 })),
  ]);
  const keys = await drawMany(curriculum, 200);
  expect(keys[0]).toBe(given.first);
  const counts = Map.groupBy(keys, (key) => key);
  expect(counts.size).toBe(ITEMS);
  expect(counts.get(given.first)!.length).toBeGreaterThanOrEqual(counts.get(given.last)!.length);
  expect(counts.get(given.last)!.length).toBeGreaterThan(0);
});

test('what was seen here goes before what an earlier process found, and the change is told once', () => {
  const curriculum = open();
  curriculum.rate('item-1', outcomes(4));
  curriculum.know([
    { item: 'item-1', rollouts: 4, passed: 0 },
    { item: 'item-2', rollouts: 4, passed: 2 },
  ]);
  curriculum.rate('item-2', outcomes(4));
  expect(curriculum.takeChanged()).toEqual([
    { item: 'item-1', rollouts: 4, passed: 4 },
    { item: 'item-2', rollouts: 6, passed: 5 },
  ]);
  expect(curriculum.takeChanged()).toEqual([]);
});

test('fewer groups are dead with bounds than without, where most items are hopeless or done', async () => {
  /** Of eight items two are answered rightly half of the time, three always and three never. */
  const skill = (key: string): number => [0, 0, 0, 0.5, 0.5, 1, 1, 1][Number(key)]!;
  const countDead = async (config: Partial<CurriculumConfig>): Promise<number> => {
    const curriculum = open(config);
    let dead = 0;
    for (let index = 0; index < 200; index += 1) {
      const [key] = await drawMany(curriculum, 1);
      const passed = Math.round(skill(key!) * 4);
      curriculum.rate(`item-${key}`, outcomes(passed));
      if (passed === 0 || passed === 4) dead += 1;
    }
    return dead;
  };
  expect(await countDead({})).toBe(150);
  expect(await countDead({ min_pass_rate: 0.1, max_pass_rate: 0.9 })).toBeLessThan(100);
});

test('bounds that nothing fits between are refused with those that are meant', () => {
  expect(() => open({ min_pass_rate: 0.9, max_pass_rate: 0.1 })).toThrow(/at least 0.9 and at most 0.1/);
});

test('a share of the draws goes to items of a rare success, until it was luck or is none any more', async () => {
  const curriculum = open({ replay_rare: 0.25 });
  expect((await drawMany(curriculum, 8)).join('')).toBe('01234567');
  curriculum.rate('item-2', outcomes(1));
  curriculum.rate('item-5', outcomes(1));
  // Neither what fails always nor what is right half of the time.
  curriculum.rate('item-6', outcomes(0));
  curriculum.rate('item-7', outcomes(2));
  expect((await drawMany(curriculum, 12)).join('')).toBe('201253452670');
  expect(curriculum.takeCounts().replayed).toBe(3);
  curriculum.rate('item-2', outcomes(4));
  for (let group = 0; group < 5; group += 1) curriculum.rate('item-5', outcomes(0));
  expect((await drawMany(curriculum, 8)).toSorted().join('')).toBe('01234567');
  expect(curriculum.takeCounts().replayed).toBe(0);
});

test('what an earlier process found rare is replayed when it has come by', async () => {
  const curriculum = open({ replay_rare: 0.5 });
  curriculum.know([{ item: 'item-1', rollouts: 16, passed: 1 }]);
  expect((await drawMany(curriculum, 8)).join('')).toBe('01121314');
});

test('an item that most replies fail learns from more successes with a replay than without', async () => {
  /** One item in eight is answered rightly once in each sixteen replies at first, and more often with each success it had. */
  const learn = async (config: Partial<CurriculumConfig>): Promise<number> => {
    const curriculum = open(config);
    let [asked, successes] = [0, 0];
    for (let group = 0; group < 200; group += 1) {
      const [key] = await drawMany(curriculum, 1);
      asked += key === '3' ? 1 : 0;
      const isRight = key === '3' && asked % Math.max(1, 4 - successes) === 0;
      successes += isRight ? 1 : 0;
      curriculum.rate(`item-${key}`, key === '3' ? outcomes(isRight ? 1 : 0) : outcomes(4));
    }
    return successes;
  };
  expect(await learn({ replay_rare: 0.25 })).toBeGreaterThan(2 * (await learn({})));
});
