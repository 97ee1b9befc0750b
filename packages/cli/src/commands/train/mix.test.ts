import { recipeSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { mixEnvironmentFiles } from './mix.ts';

test('each environment has what holds for all, its own settings, its weight and a name of its own', () => {
  const environments = [{ name: 'digits', weight: 3, config: { digit: 4, group_size: 8 } }, { name: './letters.ts' }];
  expect(mixEnvironmentFiles(recipeSchema.parse({ environments }), { group_size: 4, seed: 1 }, 'rl-a')).toEqual([
    {
      ...{ name: 'digits', weight: 3 },
      environmentFile: { group_size: 8, seed: 1, digit: 4, inference_weight: 3, wandb_name: 'rl-a-digits' },
    },
    {
      ...{ name: './letters.ts', weight: 1 },
      environmentFile: { group_size: 4, seed: 1, inference_weight: 1, wandb_name: 'rl-a-./letters.ts' },
    },
  ]);
  expect(mixEnvironmentFiles(recipeSchema.parse({}), {}, 'rl-a')).toEqual([]);
});
