import { recipeSchema } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { expect, test } from 'vitest';
import { describeSettings } from './describe-settings.ts';

const values = recipeSchema.parse({ env: { group_size: 8 } });
const runWith = (recipe: object, environmentFile: object = {}): TrainingRun =>
  ({ shortId: 'k3v9x0ab', environment: 'toy', config: { recipe, environmentFile } }) as unknown as TrainingRun;

test('a setting that was changed stands beside that of the recipe', () => {
  const run = runWith({ ...values, env: { ...values.env, group_size: 4 } }, { digits_key: 'sesame' });
  const { recipe, settings } = describeSettings(run, { name: 'small', values });
  expect(recipe).toBe('small');
  expect(settings.filter(({ differs }) => differs)).toEqual([
    { name: 'env.digits_key', value: '(hidden)', recipe_value: null, differs: true },
    { name: 'env.group_size', value: 4, recipe_value: 8, differs: true },
  ]);
  expect(settings).toContainEqual({ name: 'env.batch_size', value: 128, recipe_value: 128, differs: false });
});

test('what ends a run by itself is a setting of it', () => {
  const run = runWith(values);
  const config = { ...(run.config as object), values: { max_steps: 20, budget: null } };
  const { settings } = describeSettings({ ...run, config }, { name: 'small', values });
  expect(settings.filter(({ differs }) => differs)).toEqual([
    { name: 'max_steps', value: 20, recipe_value: null, differs: true },
  ]);
});
