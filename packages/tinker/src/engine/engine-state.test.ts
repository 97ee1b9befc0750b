import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { readEngineState, removeEngineState, writeEngineState, type EngineState } from './engine-state.ts';

const state: EngineState = {
  version: 1,
  life: 'one',
  url: 'http://127.0.0.1:8100',
  model_directory: '/models/tiny',
  log_file: '/run/engine.log',
  started_at_ms: 0,
  is_ready: false,
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('what is written is read, and nothing else is left in the folder', async () => {
  const file = join(folder, 'run/state.json');
  await writeEngineState(file, state);
  await writeEngineState(file, { ...state, pid: 12, is_ready: true });
  expect(await readEngineState(file)).toEqual({ ...state, pid: 12, is_ready: true });
  expect(await readdir(join(folder, 'run'))).toEqual(['state.json']);
});

test.each(['', '{"half":', '{}', '[]', '{"version":2,"life":"x"}'])('the file %j tells nothing', async (text) => {
  const file = join(folder, 'state.json');
  await writeFile(file, text);
  expect(await readEngineState(file)).toBeUndefined();
});

test('no file tells nothing', async () => {
  expect(await readEngineState(join(folder, 'state.json'))).toBeUndefined();
});

test('the end of one life does not remove the file of the next', async () => {
  const file = join(folder, 'state.json');
  await writeEngineState(file, { ...state, life: 'two' });
  await removeEngineState(file, 'one');
  expect(await readEngineState(file)).toMatchObject({ life: 'two' });
  await removeEngineState(file, 'two');
  expect(await readEngineState(file)).toBeUndefined();
});
