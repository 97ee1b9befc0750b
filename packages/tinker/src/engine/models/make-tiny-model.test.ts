import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { makeFakeHome } from '../fake-home.fixture.ts';
import { makeTinyModel, type TinyModelShape } from './make-tiny-model.ts';
import type { RunTool } from '../run-tool.ts';

/** Stands for the script: notes its arguments and leaves a file. */
function createScript(code = 0): { run: RunTool; calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  const run: RunTool = async ({ args }) => {
    calls.push(args);
    await writeFile(join(args[2] ?? '', 'config.json'), '{}');
    return { code, output: 'no space left' };
  };
  return { run, calls };
}

test.each<[string, TinyModelShape]>([
  ['a vocabulary below the bytes', { vocabularySize: 100 }],
  ['a vocabulary that is not whole', { vocabularySize: 2048.5 }],
  ['a width that heads cannot share', { hiddenSize: 60 }],
  ['no layers', { layers: 0 }],
  ['a negative seed', { seed: -1 }],
  ['a tokenizer folder that is none', { tokenizer: '/nowhere' }],
])('%s is refused before anything is made', async (_name, shape) => {
  const script = createScript();
  const making = makeTinyModel({ home: '/nowhere', directory: '/nowhere/model', ...script, ...shape });
  await expect(making).rejects.toMatchObject({ reason: 'bad-option' });
  expect(script.calls).toEqual([]);
});

test('the model appears under its name when it is whole', async () => {
  await using fake = await makeFakeHome();
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-models-'));
  const directory = join(folder, 'tiny');
  const failing = makeTinyModel({ home: fake.home, directory, ...createScript(1) });
  await expect(failing).rejects.toMatchObject({ reason: 'model-failed', output: 'no space left' });
  const afterFailure = await readdir(folder);

  const script = createScript();
  await makeTinyModel({ home: fake.home, directory, ...script, seed: 3 });
  const again = makeTinyModel({ home: fake.home, directory, ...script });
  await expect(again).rejects.toMatchObject({ reason: 'folder-not-empty' });
  const afterSuccess = await readdir(folder);
  await rm(folder, { recursive: true });
  expect([afterFailure, afterSuccess]).toEqual([[], ['tiny']]);
  expect(script.calls[0]?.slice(3)).toEqual(['--vocabulary', '2048', '--hidden', '64', '--layers', '2', '--seed', '3']);
});
