import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { defineEnvironment } from '../define-environment.ts';
import { EnvironmentError } from '../environment-error.ts';
import { findEnvironment, loadEnvironment } from './load-environment.ts';

const define = (name: string): string => `defineEnvironment({ name: '${name}' })`;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-discovery-'));
  await writeFile(join(folder, 'one.ts'), `export default ${define('gsm8k')};`);
  await writeFile(join(folder, 'two.ts'), `export const a = ${define('a')};\nexport const b = ${define('b')};`);
  await writeFile(join(folder, 'none.ts'), 'export const x = 1;');
  await writeFile(join(folder, 'old.py'), 'class Old(BaseEnv):\n    name = "old"\n');
});

afterAll(() => rm(folder, { recursive: true }));

const make = (name: string) =>
  defineEnvironment({ name, items: { train: [1], evaluation: [2] }, formatPrompt: () => 'x', computeReward: () => 1 });

const options = () => ({ cwd: folder, env: { LACHESIS_ENV_PATH: folder } });

test('one is found by its name, its alias and its file, and only its file is imported', async () => {
  const imported: string[] = [];
  const importModule = async (url: string) => {
    imported.push(url);
    return { default: make('gsm8k'), helper: () => 1 };
  };
  for (const name of ['gsm8k', 'gsm8k_tinker', './one.ts', join(folder, 'one.ts')]) {
    const { definition, found } = await loadEnvironment(name, { ...options(), importModule });
    expect([definition.name, found.file_path]).toEqual(['gsm8k', join(folder, 'one.ts')]);
  }
  expect(new Set(imported.map((url) => url.split('/').at(-1)))).toEqual(new Set(['one.ts']));
});

test('of two in a file one is named after a hash', async () => {
  const importModule = async () => ({ a: make('a'), b: make('b') });
  expect((await loadEnvironment('two.ts#b', { ...options(), importModule })).definition.name).toBe('b');
  await expect(findEnvironment('two.ts', options())).rejects.toThrow('Say which one: two.ts#a');
});

test('what cannot be loaded is refused with what to do', async () => {
  await expect(findEnvironment('gsm9k', options())).rejects.toThrow('There are old, gsm8k, a, b');
  await expect(findEnvironment('gsm9k', { cwd: '/nonexistent', env: {} })).rejects.toThrow('LACHESIS_ENV_PATH');
  await expect(findEnvironment('./missing.ts', options())).rejects.toThrow('is not a file');
  await expect(findEnvironment('none.ts', options())).rejects.toThrow('Export what defineEnvironment gives');
  await expect(loadEnvironment('old', options())).rejects.toThrow('old.py serve');
  const broken = loadEnvironment('one.ts', { ...options(), importModule: () => Promise.reject(new Error('boom')) });
  await expect(broken).rejects.toThrow('cannot be imported: boom');
  await expect(loadEnvironment('one.ts', { ...options(), importModule: async () => ({}) })).rejects.toThrow(
    'does not export',
  );
  expect(EnvironmentError.isInstance(await broken.catch((error: unknown) => error))).toBe(true);
});
