import { expect, test } from 'vitest';

import { openForTest } from '../open-for-test.fixture.ts';
import arithmeticToy, { type Sum } from './arithmetic-toy.ts';

test('the right sum earns 1 and a wrong one 0', async () => {
  const { gradeExamples, draw, grade, formatPrompt } = await openForTest(arithmeticToy, {
    operations: ['multiply', 'subtract'],
  });
  for (let index = 0; index < 50; index += 1) expect(await gradeExamples(index)).toEqual([1, 0]);
  const drawn = await draw(0);
  expect(await formatPrompt(drawn)).toMatch(/^What is \d+ [-*] \d+\? Reply with the number\.$/);
  expect(await grade(drawn, 'no idea')).toBe(0);
});

test('a number that is wrong can earn a little', async () => {
  const { draw, grade } = await openForTest(arithmeticToy, { format_reward: 0.1 });
  const drawn = await draw(3);
  const { left, right, operation } = drawn.item as Sum;
  const result = operation === 'add' ? left + right : left - right;
  expect(await grade(drawn, `${result + 1}`)).toBe(0.1);
  expect(await grade(drawn, `${result}`)).toBe(1);
  expect(await grade(drawn, 'none')).toBe(0);
});

test('sums are the same for the same seed, and none of evaluation is trained on', async () => {
  const [first, second] = await Promise.all([0, 0].map((seed) => openForTest(arithmeticToy, { seed })));
  const items = await Promise.all(
    Array.from({ length: 300 }, async (_unused, index) => (await first?.draw(index))?.item),
  );
  expect(await Promise.all(items.map(async (_item, index) => (await second?.draw(index))?.item))).toEqual(items);
  const held = (await first?.opened.listEvaluationItems())?.map(({ item }) => item as Sum) ?? [];
  expect(held).toHaveLength(50);
  const trained = new Set(items.map((item) => `${(item as Sum).left} ${(item as Sum).right}`));
  expect(held.filter(({ left, right }) => trained.has(`${left} ${right}`))).toEqual([]);
});
