import { openStore } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunConfigurator } from '../control/runs/run-configurator.ts';
import { createControlConfigurator } from './control-configurator.ts';

const own = [{ name: 'digit', type: 'integer', default: 7, description: 'which' }];
const environments = ['gsm8k', 'digits'].map((name) => ({
  ...{ name, class_name: name, file_path: `/${name}.ts`, description: '', language: 'typescript' },
  config_fields: name === 'digits' ? own : [],
}));

async function open(): Promise<RunConfigurator> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-config-'));
  const store = await openStore({ sqlitePath: join(folder, 'db') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  let ids = 0;
  return createControlConfigurator({
    ...{ store, listEnvironments: async () => environments, recipeName: 'tiny', now: () => 0 },
    nextId: () => String((ids += 1)),
    recipeFile: { env: { total_steps: 3, group_size: 4 }, tinker: { lora_rank: 8 } },
  });
}

test('environments are told by the four keys that clients know', async () => {
  const configurator = await open();
  expect((await configurator.listEnvironments())[1]).toEqual({
    ...{ name: 'digits', class_name: 'digits', file_path: '/digits.ts', description: '' },
  });
  await expect(configurator.select('t', 'digit')).rejects.toMatchObject({
    code: 'not-found',
    hint: 'Did you mean digits? There are: gsm8k, digits.',
  });
});

test('fields are those of every run and those of the environment; the recipe has locked the others', async () => {
  const configurator = await open();
  const { config } = await configurator.select('t', 'digits');
  expect(config.configurable_fields.map(({ name, current_value: value }) => [name, value])).toEqual([
    ['group_size', 4],
    ['batch_size', 128],
    ['wandb_name', 'digits-19700101-000000'],
    ['wandb_project', null],
    ['system_prompt', null],
    ['digit', 7],
  ]);
  expect(config.locked_fields.find(({ name }) => name === 'lora_rank')?.current_value).toBe(8);
});

test('an edit is checked, kept for the tenant, and forgotten with the next selection', async () => {
  const configurator = await open();
  await expect(configurator.edit('t', { field: 'digit', value: 3 })).rejects.toMatchObject({ code: 'conflict' });
  await configurator.select('t', 'digits');
  const refusals = [
    { field: 'lora_rank', value: 3, says: 'lora_rank is locked' },
    { field: 'digits', value: 3, says: 'there is no field "digits"' },
    { field: 'digit', value: 1.5, says: 'digit must be a whole number' },
    { field: 'group_size', value: 0, says: 'group_size must be at least 1' },
    { field: 'system_prompt', value: 3, says: 'system_prompt must be a text' },
  ];
  for (const { field, value, says } of refusals) {
    await expect(configurator.edit('t', { field, value })).rejects.toThrow(says);
  }
  await configurator.edit('t', { field: 'digit', value: '3' });
  await configurator.edit('t', { field: 'wandb_project', value: 'p' });
  const resolved = await configurator.resolve('t', { config: { group_size: 2 } });
  expect(resolved).toMatchObject({
    ...{ environment: 'digits', totalSteps: 3, wandbProject: 'p', wandbRunName: 'digits-19700101-000000' },
    config: { digit: 3, group_size: 2, lora_rank: 8 },
    recipe: { env: { digit: 3, group_size: 2, total_steps: 3 }, tinker: { wandb_project: 'p', lora_rank: 8 } },
    environmentFile: { digit: 3, group_size: 2, batch_size: 128, total_steps: 3 },
  });
  expect(resolved.environmentFile).not.toHaveProperty('wandb_project');
  expect((await configurator.read('u')).environment).toBeNull();
  await configurator.select('t', 'digits');
  expect((await configurator.resolve('t', {})).config['digit']).toBe(7);
});
