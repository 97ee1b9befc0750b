import { recipeSchema } from '@lachesis/protocol';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecipeFile, wantsLocalEngine } from '../train/recipe-file.ts';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;
const run = promisify(execFile);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-init-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const lachesis = (words: readonly string[]): Promise<{ stdout: string }> =>
  run(process.execPath, ['--conditions=lachesis-source', MAIN, ...words], {
    cwd: folder,
    env: { ...process.env, LACHESIS_HOME: join(folder, 'home') },
  });

test('a new project has an environment that passes its check and a recipe for this machine', async () => {
  const { stdout } = await lachesis(['init', 'mine', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    written: ['environments/many-vowels.ts', 'recipes/first-run.yaml', '.gitignore', 'README.md'],
    kept: [],
  });
  const recipe = await readRecipeFile(join(folder, 'mine/recipes/first-run.yaml'));
  expect(recipeSchema.parse(recipe).environment).toBe('many-vowels');
  expect(wantsLocalEngine(recipe)).toBe(true);
  const checked = await lachesis(['env', 'check', 'mine/environments/many-vowels.ts']);
  expect(checked.stdout).not.toContain('✗');
}, 60_000);

test('what is there is left as it was', async () => {
  await writeFile(join(folder, 'README.md'), 'mine');
  const { stdout } = await lachesis(['init']);
  expect(stdout).toContain('left  README.md as it was');
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('mine');
  expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'README.md', 'environments', 'recipes']);
}, 30_000);
