import { isRecord, type Recipe, type RunSettings } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { compareSettings, readSettings } from './compare-settings.ts';

/** The recipe of a server, by its name. */
export interface NamedRecipe {
  name: string;
  values: Recipe;
}

/** What a run was started with, beside what the recipe of this server says. */
export function describeSettings(run: TrainingRun, recipe: NamedRecipe): RunSettings {
  const hasRecipe = isRecord(run.config) && isRecord(run.config['recipe']);
  const usual = { ...run, config: { recipe: recipe.values } } as unknown as TrainingRun;
  // A run that was not made by a recipe, such as one on a data set, differs from none.
  const { differences } = hasRecipe ? compareSettings([run, usual]) : { differences: [] };
  const changed = new Map(differences.map(({ name, values }) => [name, values]));
  const same = [...readSettings(run)].filter(([name]) => !changed.has(name));
  const settings = [
    ...[...changed].map(([name, [value, recipeValue]]) => ({ name, value, recipe_value: recipeValue, differs: true })),
    ...same.map(([name, value]) => ({ name, value, recipe_value: hasRecipe ? value : null, differs: false })),
  ];
  return {
    run_id: run.shortId,
    recipe: recipe.name,
    settings: settings.toSorted((left, right) => left.name.localeCompare(right.name)),
  };
}
