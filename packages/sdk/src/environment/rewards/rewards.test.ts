import { expect, test } from 'vitest';

import type { Outcome } from '../outcome.ts';
import { failed, scored } from '../outcome.ts';
import { createEfficiencyReward } from './create-efficiency-reward.ts';
import { createExactReward } from './create-exact-reward.ts';
import { createJsonSchemaReward } from './create-json-schema-reward.ts';
import { createKeywordReward } from './create-keyword-reward.ts';
import { createMathReward } from './create-math-reward.ts';
import { createMultiSignalReward } from './create-multi-signal-reward.ts';
import { createNumericReward } from './create-numeric-reward.ts';
import { createPatternReward } from './create-pattern-reward.ts';
import { createToolUseReward } from './create-tool-use-reward.ts';
import { createWordLimitReward } from './create-word-limit-reward.ts';
import type { Reward, RewardInput } from './reward.ts';

const grade = async (reward: Reward, input: RewardInput | string): Promise<Outcome> =>
  reward(typeof input === 'string' ? { answer: input } : input);

const rewardOf = async (reward: Reward, input: RewardInput | string): Promise<number | string> => {
  const outcome = await grade(reward, input);
  return outcome.kind === 'scored' ? outcome.reward : outcome.kind;
};

test('exact compares texts, by default whatever their case and spaces', async () => {
  const reward = createExactReward();
  expect(await rewardOf(reward, { answer: ' new  york ', expected: 'New York' })).toBe(1);
  expect(await rewardOf(reward, { answer: 'New York.', expected: 'New York' })).toBe(0);
  expect(
    await rewardOf(createExactReward({ ignorePunctuation: true }), { answer: '**Paris**.', expected: 'paris' }),
  ).toBe(1);
  expect(await rewardOf(createExactReward({ ignoreCase: false }), { answer: 'a', expected: 'A' })).toBe(0);
});

test('an item without an expected answer is a failure of the verifier, not a zero', async () => {
  for (const reward of [createExactReward(), createNumericReward(), createMathReward()]) {
    expect(await grade(reward, { answer: '5' })).toMatchObject({ kind: 'failed', failure: 'verifier' });
    expect(await grade(reward, { answer: '5', expected: '' })).toMatchObject({ kind: 'failed', failure: 'verifier' });
  }
  expect(await grade(createNumericReward(), { answer: '5', expected: 'many' })).toMatchObject({ kind: 'failed' });
});

test.each([
  ['The answer is 3.14', 3.14, {}, 1],
  ['about 3.1', 3.14, { tolerance: 0.05 }, 1],
  ['about 3.0', 3.14, { tolerance: 0.05 }, 0],
  ['\\boxed{101}', 100, { relativeTolerance: 0.02 }, 1],
  ['\\boxed{\\frac{1}{4}}', 0.25, {}, 1],
  ['x = 7', '7', {}, 1],
  ['nothing', 1, {}, 0],
  ['0', 0, {}, 1],
])('numeric grades %s against %s with %o as %d', async (answer, expected, options, reward) => {
  expect(await rewardOf(createNumericReward(options), { answer, expected })).toBe(reward);
});

test('math says whether the answer was found and boxed, and can ask for the box', async () => {
  const reward = createMathReward({ penaltyWithoutBox: 0.1 });
  expect(await grade(reward, { answer: 'so \\boxed{\\frac12}', expected: '0.5' })).toEqual(
    scored(1, { correct: 1, answered: 1, boxed: 1 }),
  );
  expect(await rewardOf(reward, { answer: 'so 0.5', expected: '$\\frac12$' })).toBe(0.9);
  expect(await rewardOf(reward, { answer: 'so \\boxed{2}', expected: '0.5' })).toBe(0);
});

test('a pattern matches somewhere, keeps no place between answers, and can hold the expected answer', async () => {
  const reward = createPatternReward({ pattern: /<answer>(?<value>[^<]*)<\/answer>/g, group: 'value' });
  for (let times = 0; times < 3; times += 1)
    expect(await rewardOf(reward, { answer: '<answer>A</answer> no: <answer> b </answer>', expected: 'B' })).toBe(1);
  expect(await rewardOf(createPatternReward({ pattern: /^\d+$/ }), '12')).toBe(1);
  expect(await rewardOf(createPatternReward({ pattern: /^\d+$/ }), '12 apples')).toBe(0);
});

test('JSON is taken from the text around it and checked against the schema', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const reward = createJsonSchemaReward({ schema });
  expect(await rewardOf(reward, '{"name":"Ada","age":36}')).toBe(1);
  expect(await rewardOf(reward, 'Here you are:\n```json\n{"name":"Ada","age":36}\n```')).toBe(1);
  expect(await rewardOf(reward, 'It is {"name":"Ada","age":36}, I think.')).toBe(1);
  expect(await grade(reward, '{"name":"Ada","age":-1}')).toEqual(scored(0, { json: 1, valid: 0 }));
  expect(await grade(reward, 'Ada, 36')).toEqual(scored(0, { json: 0, valid: 0 }));
  expect(await rewardOf(createJsonSchemaReward({ schema, allowText: false }), 'It is {"name":"Ada","age":36}')).toBe(0);
});

test('a schema that would be checked in part only is refused when the environment is made', () => {
  expect(() => createJsonSchemaReward({ schema: { properties: { a: { minimum: 1 } }, type: 'object' } })).toThrow(
    'minimum at #/properties/a without a type',
  );
  expect(() => createJsonSchemaReward({ schema: { type: 'string', if: { type: 'string' } } })).toThrow(
    'cannot be checked',
  );
  expect(() =>
    createJsonSchemaReward({ schema: { type: 'object', properties: { items: { type: 'string' } } } }),
  ).not.toThrow();
});

test('several signals are weighed 0.6, 0.2 and 0.2 unless others are given, and stay in [0, 1]', async () => {
  const signals = { correctness: () => scored(1), tools: () => scored(0.5), efficiency: () => scored(0) };
  expect(await grade(createMultiSignalReward({ signals }), 'x')).toEqual(
    scored(0.7, { correctness: 1, tools: 0.5, efficiency: 0 }),
  );
  const heavy = createMultiSignalReward({
    signals: { a: () => scored(1), b: () => scored(1) },
    weights: { a: 1, b: 1 },
  });
  expect(await rewardOf(heavy, 'x')).toBe(1);
  expect(() => createMultiSignalReward({ signals: { a: () => scored(1) } })).toThrow('no weight for a');
  expect(() =>
    createMultiSignalReward({ signals, weights: { correctness: 1, tools: 1, efficiency: 1, style: 1 } }),
  ).toThrow('no signal for the weight of style');
});

test('a signal that fails fails the whole, and is named', async () => {
  const reward = createMultiSignalReward({
    signals: { correctness: () => failed('verifier', 'the judge is away'), tools: () => scored(1) },
  });
  expect(await grade(reward, 'x')).toEqual(failed('verifier', 'correctness: the judge is away'));
});

test('marks of a signal reach the whole', async () => {
  const reward = createMultiSignalReward({
    signals: { correctness: () => scored(1, undefined, ['heuristic:keywords']) },
  });
  expect(await grade(reward, 'x')).toMatchObject({ marks: ['heuristic:keywords'] });
});

test('tools count by the share of those wanted, less errors', async () => {
  const reward = createToolUseReward({ tools: ['search', 'read'] });
  expect(await rewardOf(reward, { answer: '', toolsUsed: ['search'] })).toBe(0.5);
  expect(await rewardOf(reward, { answer: '', toolsUsed: ['search', 'read'], toolErrors: [{ role: 'tool' }] })).toBe(
    0.9,
  );
  expect(await rewardOf(createToolUseReward(), { answer: '', toolsUsed: [] })).toBe(0);
});

test('efficiency falls from 1 to 0 over the turns', async () => {
  const reward = createEfficiencyReward({ maxTurns: 5 });
  const rewards = [1, 2, 3, 5, 9].map((turnsUsed) => rewardOf(reward, { answer: '', turnsUsed }));
  expect(await Promise.all(rewards)).toEqual([1, 0.75, 0.5, 0, 0]);
  expect(() => createEfficiencyReward({ maxTurns: 1 })).toThrow('more than freeTurns');
});

test('the word limit has a cliff or a slope, and nothing said is nothing earned', async () => {
  const cliff = createWordLimitReward({ maxWords: 3 });
  expect(await rewardOf(cliff, 'one, two - three!')).toBe(1);
  expect(await rewardOf(cliff, 'one two three four')).toBe(0);
  expect(await rewardOf(cliff, ' … ')).toBe(0);
  expect(await rewardOf(createWordLimitReward({ maxWords: 4, beyond: 'slope' }), 'a b c d e f')).toBe(0.5);
  expect(() => createWordLimitReward({ maxWords: 0 })).toThrow('cannot be kept');
});

test('keywords count those of the expected answer that are there', async () => {
  const input = { answer: 'The cat sat on a mat', expected: 'a cat and a dog' };
  expect(await rewardOf(createKeywordReward(), input)).toBe(0.5);
  expect(await grade(createKeywordReward(), { answer: 'x', expected: 'of the' })).toMatchObject({ kind: 'failed' });
});
