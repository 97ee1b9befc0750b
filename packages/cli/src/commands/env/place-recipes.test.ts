import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { placeRecipes } from './place-recipes.ts';

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-recipes-'));
  onTestFinished(() => rm(home, { recursive: true }));
  await mkdir(join(home, 'recipes'));
  await writeFile(join(home, 'recipes/mine.yaml'), '{}\n');
  return home;
}

test('the name of a recipe becomes its file: one of the home, then one that comes with the command', async () => {
  const home = await makeHome();
  const mine = join(home, 'recipes/mine.yaml');
  const rest = ['--env.seed', '1'];
  expect(await placeRecipes(['digits', '--config', 'mine', ...rest], home)).toEqual([
    'digits',
    '--config',
    mine,
    ...rest,
  ]);
  expect(await placeRecipes(['--config=mine'], home)).toEqual([`--config=${mine}`]);
  expect((await placeRecipes(['--config', 'cpu_tiny'], home))[1]).toMatch(/recipes[/\\]cpu_tiny\.yaml$/);
});

test.each([
  [['--config', 'nowhere/mine.yaml']],
  [['--config=./mine']],
  [['mine', '--env.name', 'mine']],
  [['--config']],
])('%j is left as it is', async (words) => {
  expect(await placeRecipes(words, await makeHome())).toEqual(words);
});
