import type { ConfigField, FieldBounds } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import type { ResolvedRun, RunConfigurator } from './configurator.ts';
import { estimateRun, type ModelPrice, type RunLimits } from './estimate-run.ts';
import { findRecipe } from './find-recipe.ts';
import { EMPTY_METER, judgeLimits, readMeter } from './meter-run.ts';
import { readFieldValue } from './read-field-value.ts';
import { refineFields } from './refine-fields.ts';
import { withEstimates } from './with-estimates.ts';

const sizes = { totalSteps: 10, batchSize: 4, maxTokenLength: 100, maxTrainerLength: 50, limits: {} };

test('an estimate is the most a run may take, and guesses no price', () => {
  expect(estimateRun({ ...sizes, price: undefined, secondsPerStep: [] })).toEqual({
    ...{ steps: 10, rollouts: 40, tokens: 6_000, seconds: null, seconds_low: null, seconds_high: null, cost: null },
    ...{ budget: null, max_tokens: null, max_steps: null },
  });
  const priced = {
    ...sizes,
    price: { input: 100, output: 1000, train: 500 },
    secondsPerStep: [2.5, 2, 4],
    limits: { cost: 9 },
  };
  expect(estimateRun(priced)).toMatchObject({ seconds: 25, seconds_low: 20, seconds_high: 40, cost: 5, budget: 9 });
  const limited = { ...priced, limits: { steps: 4, tokens: 7 } };
  expect(estimateRun(limited)).toMatchObject({ steps: 4, rollouts: 16, seconds: 10, max_steps: 4, max_tokens: 7 });
});

const resolved = {
  totalSteps: 10,
  recipe: {
    env: { batch_size: 4, max_token_length: 100, tokenizer_name: 'q' },
    openai: [],
    tinker: { max_token_trainer_length: 50 },
  },
} as unknown as ResolvedRun;

test('a budget without a price is refused, and says where the price goes', async () => {
  const real = { resolve: async () => resolved } as unknown as RunConfigurator;
  const configurator = withEstimates(real, {
    ...{ findPrice: async () => undefined, findSecondsPerStep: async () => [1, 2], pricesPath: '/home/prices.yaml' },
  });
  expect((await configurator.resolve('t', {})).estimate).toMatchObject({ seconds: 10, cost: null });
  await expect(configurator.resolve('t', { budget: 1 })).rejects.toMatchObject({
    ...{ code: 'conflict', hint: expect.stringContaining('/home/prices.yaml') },
  });
});

test('a request can ask for less than the server allows, and never for more', async () => {
  const real = { resolve: async () => resolved } as unknown as RunConfigurator;
  const configurator = withEstimates(real, {
    ...{ findPrice: async () => undefined, findSecondsPerStep: async () => [], pricesPath: 'p' },
    limits: { steps: 5, tokens: 100 },
  });
  const { estimate } = await configurator.resolve('t', { max_steps: 7, max_tokens: 50 });
  expect(estimate).toMatchObject({ max_steps: 5, max_tokens: 50, steps: 5, budget: null });
});

test('a meter counts over the lives of a process, and the budget ends the run', () => {
  let meter = readMeter(EMPTY_METER, { prompt: 100, sampled: 10 }, 0);
  meter = readMeter(meter, { prompt: 150, sampled: 20 }, 5);
  meter = readMeter(meter, { prompt: 30, sampled: 1 }, 7);
  meter = readMeter(meter, undefined, 9);
  expect(meter).toMatchObject({ prompt: 180, sampled: 21, trained: 9 });
  const price = { input: 1e6, output: 0, train: 1e6 };
  const judge = (limits: RunLimits, known: ModelPrice | undefined = price): string | undefined =>
    judgeLimits({ meter, price: known, limits });
  expect(judge({ cost: 190 })).toBeUndefined();
  expect(judge({ cost: 189 })).toBe('its budget of 189 US dollars is spent: 189.00 by the price table');
  expect(judge({})).toBeUndefined();
  expect(judgeLimits({ meter, price: undefined, limits: { cost: 1 } })).toBeUndefined();
  expect(judge({ tokens: 211, steps: 1 })).toBeUndefined();
  expect(judge({ tokens: 210 })).toBe('its limit of 210 tokens is reached: it has used 210');
});

test('a recipe is a file, or a name in a folder of recipes', () => {
  const files = new Set(['/a/recipes/quick_test.yaml', 'own.yaml']);
  const find = (given: string) =>
    findRecipe({
      ...{ given, folders: ['/b', '/a/recipes'], exists: (path: string) => files.has(path) },
      list: (folder) => (folder === '/b' ? [] : ['quick_test.yaml', 'README.md']),
    });
  expect(find('quick_test')).toEqual({ path: '/a/recipes/quick_test.yaml' });
  expect(find('own.yaml')).toEqual({ path: 'own.yaml' });
  expect(find('quick')).toEqual({ problem: 'there is no recipe quick in /b or /a/recipes; there are quick_test' });
  expect(find('x/quick.yaml')).toEqual({ problem: 'there is no recipe file x/quick.yaml' });
});

const field = (type: string, fallback: unknown = 'x', name = 'f'): ConfigField => ({
  ...{ name, type, default: fallback, description: '', current_value: fallback },
});

test.each([
  ['integer', '8', 8],
  ['number', 0.5, 0.5],
  ['boolean', 'false', false],
  ['a|b', 'b', 'b'],
  ['list', '["a"]', ['a']],
  ['object', { a: 1 }, { a: 1 }],
  ['string', '', ''],
])('a value of type %s is read', (type, value, read) => {
  expect(readFieldValue(field(type), value)).toEqual(read);
});

test.each([
  ['integer', 1.5, 'a whole number'],
  ['number', '', 'a number'],
  ['boolean', 1, 'true or false'],
  ['a|b', 'c', 'one of a, b'],
  ['list', 'a', 'a list'],
  ['object', [], 'an object'],
  ['string', null, 'a text'],
])('a value that is no %s is refused with what is allowed', (type, value, says) => {
  expect(() => readFieldValue(field(type), value)).toThrow(`f must be ${says}`);
});

test('null is a value where it is the default', () => {
  expect(readFieldValue(field('string', null), null)).toBeNull();
});

test('a value beyond the bounds of its field is refused with the bound', () => {
  const bounded = (type: string, bounds: FieldBounds): ConfigField => ({ ...field(type, 1), bounds });
  expect(() => readFieldValue(bounded('integer', { minimum: 1, maximum: 4 }), '9')).toThrow('f must be at most 4');
  expect(() => readFieldValue(bounded('integer', { minimum: 1 }), 0)).toThrow('f must be at least 1');
  expect(() => readFieldValue(bounded('string', { pattern: '^\\d$' }), '77')).toThrow('a text that fits');
  expect(readFieldValue(bounded('integer', { minimum: 1, maximum: 4 }), '4')).toBe(4);
});

test('a limit of steps ends the trainer itself, and leaves the plan of its learning rate alone', async () => {
  const real = {
    resolve: async () => ({ ...resolved, limits: { steps: 6 }, environmentFile: { total_steps: 10 } }),
  } as unknown as RunConfigurator;
  const configurator = withEstimates(real, {
    ...{ findPrice: async () => undefined, findSecondsPerStep: async () => [], pricesPath: 'p' },
  });
  const made = await configurator.resolve('t', {});
  expect(made).toMatchObject({ totalSteps: 6, environmentFile: { total_steps: 6 }, estimate: { max_steps: 6 } });
  expect(made.recipe).toMatchObject({ tinker: { max_steps: 6 } });
  expect((await configurator.resolve('t', { max_steps: 3 })).recipe.tinker).toMatchObject({ max_steps: 3 });
});

test('loading an environment adds choices and defaults to what its source says', () => {
  const found = [
    { name: 'kind', type: 'enum' },
    { name: 'left', type: 'string', default: 'x' },
  ];
  const described = [
    { path: 'env.kind', name: 'kind', type: 'a|b', default: 'a', description: 'which' },
    { path: 'openai.left', name: 'left', type: 'number' },
  ];
  expect(refineFields(found, described)).toEqual([
    { name: 'kind', type: 'a|b', default: 'a', description: 'which' },
    { name: 'left', type: 'string', default: 'x' },
  ]);
});
