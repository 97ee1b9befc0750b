import { join } from 'node:path';

/** Recipes by name are looked for in these folders, the first one first. */
export interface FindRecipeOptions {
  /** A name such as `quick_test`, or a file. */
  given: string;
  folders: readonly string[];
  exists: (path: string) => boolean;
  /** The names in a folder; none when it is not there. */
  list: (folder: string) => readonly string[];
}

const ENDING = /\.ya?ml$/;

/** The file of a recipe, or what to say when there is none. */
export function findRecipe(options: FindRecipeOptions): { path: string } | { problem: string } {
  const { given, folders, exists } = options;
  if (exists(given)) return { path: given };
  const isName = !ENDING.test(given) && !/[/\\]/.test(given);
  const path = isName ? folders.map((folder) => join(folder, `${given}.yaml`)).find(exists) : undefined;
  if (path !== undefined) return { path };
  if (!isName) return { problem: `there is no recipe file ${given}` };
  const known = [...new Set(folders.flatMap(options.list).filter((name) => ENDING.test(name)))];
  const names = known.map((name) => name.replace(ENDING, '')).join(', ');
  return {
    problem: `there is no recipe ${given} in ${folders.join(' or ')}; ${names === '' ? 'there are none' : `there are ${names}`}`,
  };
}
