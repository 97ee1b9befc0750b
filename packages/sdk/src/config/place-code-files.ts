import { isCodeFile, isRecord } from '@lachesis/protocol';
import { resolve } from 'node:path';

/** A recipe with whole paths of the files of code that its section `tinker` names, as they are called from a folder. */
export function placeCodeFiles<Recipe>(recipe: Recipe, folder: string): Recipe {
  if (!isRecord(recipe) || !isRecord(recipe['tinker'])) return recipe;
  const { tinker } = recipe;
  const placed = ['loss', 'advantage'].flatMap((key) => {
    const value = tinker[key];
    return typeof value === 'string' && isCodeFile(value) ? [[key, resolve(folder, value)]] : [];
  });
  return { ...recipe, tinker: { ...tinker, ...Object.fromEntries(placed) } };
}
