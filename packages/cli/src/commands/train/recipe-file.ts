import { recipeSchema, type Recipe } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { ConfigError, placeCodeFiles, readYamlFile } from '@lachesis/sdk/config';
import { findRecipe } from '@lachesis/server';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeInFile } from '../../flags/place-in-file.ts';
import { fail } from '../../terminal/fail.ts';

/** Beside `src` and `dist`, so that it is found from both. */
const SHIPPED = fileURLToPath(new URL('../../../recipes/', import.meta.url));

/** The file of a recipe: one of the project, then of the home, then of those that come with the command. */
export function findNamedRecipe({ given, home }: { given: string; home: string }): string {
  const found = findRecipe({
    ...{ given, exists: existsSync, folders: ['recipes', homePaths(home).recipes, SHIPPED] },
    list: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
  });
  return 'path' in found ? found.path : fail(`${found.problem}. Give one of these names, or a YAML file.`);
}

export async function readRecipeFile(path: string): Promise<Recipe> {
  const file = await readYamlFile(path).catch((error: unknown) => {
    if (ConfigError.isInstance(error)) return fail(error.message);
    throw error;
  });
  const parsed = recipeSchema.safeParse(placeCodeFiles(file, dirname(path)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join('.') || 'the file';
  return fail(placeInFile(`the recipe cannot be read: ${at}: ${issue?.message ?? 'it does not fit'}`, at, path));
}

/** Whether its runs train whatever model an engine has, and it names no engine: then it means one of this machine. */
export function wantsLocalEngine({ tinker }: Recipe): boolean {
  return tinker.base_model === 'engine' && (tinker.base_url ?? '') === '';
}
