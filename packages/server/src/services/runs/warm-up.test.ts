import type { TrainingRun } from '@lachesis/store';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeWarmUp, readWarmUp } from './warm-up.ts';

/** Notes what it was asked and with which variables; gives two examples, then a state. */
const PROGRAM = `echo "$* $GIVEN" >> asked
case "$1" in
  env) echo one; echo two ;;
  train) echo step; if [ -e fails ]; then echo 'the engine is away' >&2; exit 1; fi; echo '{"state":"tinker://a/state"}' ;;
esac`;

async function bench(tinker: object) {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-warm-up-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const run = {
    ...{ environment: 'digits', details: { directory, configPath: '/recipe.yaml', workingDirectory: directory } },
    config: { recipe: { tinker }, environmentFile: { digit: 7 } },
  } as unknown as TrainingRun;
  const PATH = process.env['PATH'] ?? '';
  const make = (program = PROGRAM): Promise<void> =>
    makeWarmUp(
      {
        program: { file: '/bin/sh', arguments: ['-c', program, 'lachesis'] },
        environmentVariables: (settings) => ({ PATH, GIVEN: `environment ${JSON.stringify(settings)}` }),
        trainerVariables: () => ({ PATH, GIVEN: 'trainer' }),
      },
      run,
      new AbortController().signal,
    );
  const asked = (): Promise<string> => readFile(join(directory, 'asked'), 'utf8').catch(() => 'nothing');
  return { directory, make, asked };
}

test('the environment gives examples, the trainer teaches them, and its state is kept', async () => {
  const { directory, make, asked } = await bench({ warm_up: { steps: 3, batch_size: 4 } });
  expect(await readWarmUp(directory)).toBeUndefined();
  await make();
  const [examples, teach] = (await asked()).trim().split('\n');
  expect(examples).toContain('env examples digits');
  expect(examples).toContain('--count 12 environment {"digit":7}');
  expect(teach).toMatch(/^train warm-up --config \/recipe\.yaml --examples .*--json trainer$/);
  expect(await readFile(join(directory, 'warm-up_examples.jsonl'), 'utf8')).toBe('one\ntwo\n');
  expect(await readWarmUp(directory)).toBe('tinker://a/state');
});

test('a warm-up that was made is not made again', async () => {
  const { make, asked } = await bench({ warm_up: { steps: 3, batch_size: 4 } });
  await make();
  const once = await asked();
  await make();
  expect(await asked()).toBe(once);
});

test.each([
  ['no warm-up', {}],
  ['weights to begin with', { warm_up: { steps: 3, batch_size: 4 }, initial_state: 'tinker://b/state' }],
])('a recipe with %s starts nothing', async (_, tinker) => {
  const { directory, make, asked } = await bench(tinker);
  await make();
  expect(await asked()).toBe('nothing');
  expect(await readWarmUp(directory)).toBeUndefined();
});

test('one that fails says why, leaves no state, and is tried again', async () => {
  const { directory, make } = await bench({ warm_up: { steps: 1, batch_size: 1 } });
  await expect(make(`touch fails; ${PROGRAM}`)).rejects.toThrow('the engine is away');
  expect(await readWarmUp(directory)).toBeUndefined();
  await make(`rm -f fails; ${PROGRAM}`);
  expect(await readWarmUp(directory)).toBe('tinker://a/state');
});

test('one that ends well and gives no state is a failure with the place of its log', async () => {
  const { make } = await bench({ warm_up: { steps: 1, batch_size: 1 } });
  await expect(make('echo nothing')).rejects.toThrow(/gave no state; its log is .*warm-up\.log/);
});
