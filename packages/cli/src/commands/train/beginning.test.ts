import { recipeSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { withBeginning } from './beginning.ts';

test('flags change what a recipe begins with, so that its record says it', () => {
  const recipe = recipeSchema.parse({ tinker: { model_name: 'sums' } });
  const begun = withBeginning(recipe, { from: 'rl-a:10', 'with-optimizer': true });
  expect(begun.tinker).toMatchObject({
    ...{ initial_state: 'rl-a:10', initial_state_with_optimizer: true, model_name: 'sums' },
  });
  expect(withBeginning(recipe, { 'model-name': 'other' }).tinker).toMatchObject({
    ...{ initial_state: undefined, initial_state_with_optimizer: false, model_name: 'other' },
  });
});
