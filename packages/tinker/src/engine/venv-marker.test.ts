import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { shippedFiles } from './engine-paths.ts';
import { isVenvReady, markVenv, pickFromLock } from './venv-marker.ts';

test('a venv is ready when it was marked for this lock and its Python is there', async () => {
  const venv = await mkdtemp(join(tmpdir(), 'lachesis-venv-'));
  await markVenv(venv, 'abc');
  const withoutPython = await isVenvReady(venv, 'abc');
  await mkdir(join(venv, 'bin'));
  await writeFile(join(venv, 'bin/python'), '');
  const answers = [withoutPython, await isVenvReady(venv, 'abc'), await isVenvReady(venv, 'abd')];
  await rm(venv, { recursive: true });
  expect(answers).toEqual([false, true, false]);
});

test('one package is picked from a lock with its hashes', () => {
  const lock =
    'a==1 \\\n    --hash=sha256:1\nuv==2 \\\n    --hash=sha256:2 \\\n    --hash=sha256:3\nuvloop==4 \\\n    --hash=sha256:4\n';
  expect(pickFromLock(lock, 'uv')).toBe('uv==2 \\\n    --hash=sha256:2 \\\n    --hash=sha256:3\n');
  expect(() => pickFromLock(lock, 'b')).toThrow(/does not hold b/);
});

test.each([shippedFiles.requirementsLock, shippedFiles.smolLm2Lock])(
  '%s pins each package by version and hash',
  async (file) => {
    const blocks = (await readFile(file, 'utf8')).trimEnd().split(/\n(?=\S)/);
    const loose = blocks.filter((block) => !/^[a-z0-9-]+==[\w.]+(?: \\\n {4}--hash=sha256:[0-9a-f]{64})+$/.test(block));
    expect(loose).toEqual([]);
  },
);

test('the lock of the engine holds what the keeper starts, and nothing of torch', async () => {
  const lock = await readFile(shippedFiles.requirementsLock, 'utf8');
  for (const name of ['skyrl', 'uv', 'tinker', 'gguf', 'aiohttp'])
    expect(pickFromLock(lock, name)).toContain(`${name}==`);
  expect(lock).not.toMatch(/^(?:torch|peft|nvidia|triton)/m);
});
