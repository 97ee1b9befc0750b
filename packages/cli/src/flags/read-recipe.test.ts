import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

import { readRecipe } from './read-recipe.ts';

const RECIPES = new URL('../../recipes/', import.meta.url).pathname;
const read = (config: string | undefined, rawArgs: string[] = [], env: Record<string, string> = {}) =>
  readRecipe({ config: config === undefined ? undefined : join(RECIPES, config), rawArgs, env });

test('every recipe can be read', async () => {
  const names = await readdir(RECIPES);
  expect(names.toSorted()).toEqual([
    ...['cpu_tiny.yaml', 'default.yaml', 'quick_test.yaml', 'qwen3_8b.yaml', 'qwen3_8b_ppo.yaml', 'rlhf.yaml'],
  ]);
  for (const name of names) expect((await read(name)).recipe.env.total_steps).toBeGreaterThan(0);
});

test('the default recipe is what a run has without one', async () => {
  const [given, none] = [await read('default.yaml'), await read(undefined)];
  expect(given.recipe.env).toMatchObject(none.recipe.env);
  expect(given.recipe.tinker).toEqual(none.recipe.tinker);
});

test('a warm-up that a recipe asks for is left out by a flag', async () => {
  expect((await read('cpu_tiny.yaml')).recipe.tinker.warm_up).toMatchObject({ steps: 25 });
  expect((await read('cpu_tiny.yaml', ['--tinker.warm_up', 'none'])).recipe.tinker.warm_up ?? null).toBeNull();
});

test('the recipe of a model by name is what people know under that name, with nothing of our own', async () => {
  const [named, plain] = [await read('qwen3_8b.yaml'), await read('default.yaml')];
  expect(named.recipe).toEqual({ ...plain.recipe, tinker: { ...plain.recipe.tinker, base_model: 'Qwen/Qwen3-8B' } });
});

test('flags go before the file, the file before variables, variables before defaults', async () => {
  const variables = { LACHESIS_TINKER_LORA_RANK: '8', LACHESIS_TINKER_WARMUP_STEPS: '7' };
  const { recipe } = await read(
    'quick_test.yaml',
    ['--tinker.learning_rate', '1e-3', '--env.total-steps=3'],
    variables,
  );
  expect(recipe.tinker).toMatchObject({ learning_rate: 1e-3, lora_rank: 16, warmup_steps: 7, beta2: 0.95 });
  expect(recipe.env).toMatchObject({ total_steps: 3, group_size: 4 });
});

test('what is the environment’s goes to the environment, and our defaults do not', async () => {
  const rawArgs = [
    '--env.digit',
    '3',
    '--openai.base_url=http://x',
    '--no-env.use_wandb',
    '--tinker.loss',
    'ppo',
    '--json',
  ];
  const { environmentFlags, environmentFile, rest } = await read(undefined, rawArgs);
  expect(environmentFlags).toEqual(['--env.digit', '3', '--openai.base_url=http://x', '--no-env.use_wandb']);
  expect(environmentFile).toEqual({ batch_size: 128, digit: 3, total_steps: 2500, use_wandb: false });
  expect(rest).toEqual(['--json']);
});

test('a file of code that a recipe names lies beside the recipe, one of a flag where the command is typed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-recipe-'));
  const config = join(folder, 'mine.yaml');
  await writeFile(config, 'tinker: { loss: ../losses/mine.ts, advantage: batch_std }\n');
  const { recipe } = await readRecipe({ config, rawArgs: ['--tinker.advantage', './mine.ts'], env: {} });
  expect(recipe.tinker).toMatchObject({ loss: resolve(folder, '../losses/mine.ts'), advantage: resolve('mine.ts') });
});
