import { findHome } from '@lachesis/sdk/home';

const CONFIG = '--config';
/** What a path has, and no name. */
const IS_PATH = /[./\\]/;

/**
 * The same arguments, with the file of a recipe where they have its name. A path is left as it is. Where recipes lie is asked only
 * for a name: an environment starts without all that serves and trains.
 */
export async function placeRecipes(rawArgs: readonly string[], home?: string): Promise<string[]> {
  const words = [...rawArgs];
  for (const [index, word] of rawArgs.entries()) {
    if (rawArgs[index - 1] === CONFIG) words[index] = await place(word, home);
    else if (word.startsWith(`${CONFIG}=`))
      words[index] = `${CONFIG}=${await place(word.slice(CONFIG.length + 1), home)}`;
  }
  return words;
}

async function place(given: string, home: string | undefined): Promise<string> {
  if (given === '' || IS_PATH.test(given)) return given;
  const { findNamedRecipe } = await import('../train/recipe-file.ts');
  return findNamedRecipe({ given, home: findHome(home) });
}
