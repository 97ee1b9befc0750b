import { openStore } from '@lachesis/store';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunConfigurator } from './configurator.ts';
import { createFieldRules } from './field-rules.ts';
import type { FoundField } from './refine-fields.ts';
import { createControlConfigurator } from './create-configurator.ts';
import { createControlFieldGuards } from './field-guards.ts';

const own: FoundField[] = [
  { name: 'digit', type: 'integer', default: 7, description: 'which', bounds: { minimum: 0, maximum: 9 } },
  { name: 'reward', type: 'string', kind: 'code' },
  { name: 'reward_url', type: 'string', kind: 'url' },
  { name: 'prompts_path', type: 'string', kind: 'path', default: 'prompts.jsonl' },
  { name: 'more_files', type: 'list' },
  { name: 'style', type: 'string', default: 'short' },
];
const environments = ['gsm8k', 'digits'].map((name) => ({
  ...{ name, class_name: name, file_path: `/${name}.ts`, description: '', language: 'typescript' },
  config_fields: name === 'digits' ? own : [],
  ...(name === 'gsm8k' ? { aliases: ['gsm8k_tinker'] } : {}),
}));

interface Opened {
  configurator: RunConfigurator;
  /** The project. */
  folder: string;
  /** The same store under another recipe. */
  withRecipe(recipeFile: Record<string, unknown>, listed?: typeof environments): RunConfigurator;
}

async function openProject(recipeFile: Record<string, unknown>, allow?: string): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-config-'));
  const project = join(folder, 'project');
  await mkdir(project);
  const store = await openStore({ sqlitePath: join(folder, 'db') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  let ids = 0;
  const withRecipe = (file: Record<string, unknown>, listed = environments): RunConfigurator => {
    const guards = createControlFieldGuards({
      ...{ recipeFile: file, folder: project, env: { LACHESIS_EGRESS_ALLOW: allow } },
    });
    return createControlConfigurator({
      ...{ store, listEnvironments: async () => listed, recipeName: 'tiny', now: () => 0 },
      nextId: () => String((ids += 1)),
      recipeFile: file,
      rules: createFieldRules(guards, { recipeName: 'tiny' }),
    });
  };
  return { configurator: withRecipe(recipeFile), folder: project, withRecipe };
}

const open = async (): Promise<RunConfigurator> => {
  const recipeFile = { env: { total_steps: 3, group_size: 4 }, tinker: { lora_rank: 8 }, editable: ['group_size'] };
  return (await openProject(recipeFile)).configurator;
};

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
    ['max_completion_tokens', null],
    ['temperature', 1],
    ['steps_per_eval', 25],
    ['seed', 0],
    ['system_prompt', null],
    ['use_wandb', false],
    ['wandb_name', 'digits-19700101-000000'],
    ['wandb_project', null],
    ['wandb_entity', null],
    ['max_steps', null],
    ['max_tokens', null],
    ['budget', null],
    ['digit', 7],
    ['style', 'short'],
  ]);
  expect(config.locked_fields.find(({ name }) => name === 'lora_rank')?.current_value).toBe(8);
  // One name for a type, whoever has the field.
  expect([...config.configurable_fields, ...config.locked_fields].map(({ type }) => type)).not.toContain('text');
});

test('an edit is checked, kept for the tenant, and forgotten with the next selection', async () => {
  const configurator = await open();
  await expect(configurator.edit('t', { field: 'digit', value: 3 })).rejects.toMatchObject({ code: 'conflict' });
  await configurator.select('t', 'digits');
  const refusals = [
    { field: 'lora_rank', value: 3, says: 'lora_rank is locked' },
    { field: 'digits', value: 3, says: 'there is no field "digits"' },
    { field: 'digit', value: 10, says: 'digit must be at most 9' },
    { field: 'temperature', value: -1, says: 'temperature must be at least 0' },
    { field: 'max_steps', value: 0, says: 'max_steps must be at least 1' },
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

test('paths, addresses and code are locked unless the recipe lists them; what nobody declared goes by its name and value', async () => {
  const configurator = await open();
  const { config } = await configurator.select('t', 'digits');
  const locked = config.locked_fields.map(({ name }) => name);
  expect(locked).toEqual(expect.arrayContaining(['reward', 'reward_url', 'prompts_path', 'more_files']));
  const edits: [string, unknown][] = [
    ['reward', 'evil.ts'],
    ['reward_url', 'https://example.com'],
    ['prompts_path', 'prompts.jsonl'],
    ['more_files', ['a']],
    ['style', '/etc/passwd'],
    ['style', '../../etc/passwd'],
    ['style', 'http://169.254.169.254/'],
    ['api_fields', []],
    ['total_steps', 9],
  ];
  for (const [field, value] of edits) {
    await expect(configurator.edit('t', { field, value })).rejects.toThrow(`${field} is locked`);
    await expect(configurator.resolve('t', { config: { [field]: value } })).rejects.toThrow(`${field} is locked`);
  }
  await configurator.edit('t', { field: 'style', value: 'long and kind' });
  expect((await configurator.resolve('t', {})).environmentFile).not.toHaveProperty('api_fields');
});

test('what a recipe sets is locked, whatever its kind, unless the recipe lists it', async () => {
  const env = { digit: 5, group_size: 4, reward_url: 'http://localhost:8003', system_prompt: null };
  const { configurator, withRecipe } = await openProject({ env, tinker: { wandb_project: 'p' } });
  await configurator.select('t', 'digits');
  for (const [field, value] of Object.entries({
    digit: 6,
    group_size: 8,
    reward_url: 'https://a.com',
    system_prompt: 'x',
    wandb_project: 'q',
  })) {
    await expect(configurator.edit('t', { field, value })).rejects.toThrow('its value comes from the recipe tiny');
  }
  await configurator.edit('t', { field: 'batch_size', value: 8 });
  expect((await configurator.resolve('t', {})).environmentFile).toMatchObject({ ...env, batch_size: 8 });
  // An edit of an earlier day is held to the recipe of today.
  const stricter = withRecipe({ env: { batch_size: 4 } });
  await expect(stricter.resolve('t', {})).rejects.toThrow('batch_size is locked');
});

test('an editable path stays below the project by its real path, and an editable address is held to the egress rule', async () => {
  const editable = ['prompts_path', 'reward', 'reward_url', 'more_files'];
  const { configurator, folder } = await openProject({ editable }, '127.0.0.1:9');
  await configurator.select('t', 'digits');
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data/a.jsonl'), '');
  await writeFile(join(folder, '.env'), '');
  await symlink('/etc/hosts', join(folder, 'data/hosts'));
  await symlink('/tmp/not-there-yet', join(folder, 'data/later'));
  await symlink(join(folder, 'data/a.jsonl'), join(folder, 'inner'));
  await symlink(join(folder, '.env'), join(folder, 'plain.txt'));
  for (const value of [
    '/etc/passwd',
    '../x',
    'data/../../x',
    'data/hosts',
    'data/later',
    '.env',
    'plain.txt',
    'a\u0000b',
    '~/../../etc/passwd/..',
    'file:///etc/passwd',
    '//host/x',
    'http://127.0.0.1/',
    'http://[::ffff:7f00:1]/',
  ]) {
    await expect(configurator.edit('t', { field: 'prompts_path', value }), value).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(configurator.edit('t', { field: 'reward', value }), value).rejects.toMatchObject({ code: 'invalid' });
    await expect(
      configurator.edit('t', { field: 'more_files', value: ['data/a.jsonl', value] }),
      value,
    ).rejects.toMatchObject({ code: 'invalid' });
  }
  for (const value of ['ftp://example.com', 'http://localhost:8003', 'http://me:pw@example.com', 'prompts.jsonl']) {
    await expect(configurator.edit('t', { field: 'reward_url', value }), value).rejects.toMatchObject({
      code: 'invalid',
    });
  }
  await configurator.edit('t', { field: 'prompts_path', value: 'inner' });
  await configurator.edit('t', { field: 'reward_url', value: 'http://127.0.0.1:9/v1' });
  const { environmentFile } = await configurator.resolve('t', {});
  expect(environmentFile).toMatchObject({
    ...{
      prompts_path: 'data/a.jsonl',
      reward_url: 'http://127.0.0.1:9/v1',
      api_fields: ['reward_url', 'prompts_path'],
    },
  });
  // A link that is put there later is followed when the run starts.
  await configurator.edit('t', { field: 'prompts_path', value: 'data/new.jsonl' });
  await symlink('/etc/hosts', join(folder, 'data/new.jsonl'));
  await expect(configurator.resolve('t', {})).rejects.toThrow('not a file that may be named here');
});

test('the key of a server that a recipe names is not kept with a run', async () => {
  const openai = [{ base_url: 'http://localhost:8001/v1', api_key: 'open-sesame-1', model_name: 'm' }];
  const { configurator } = await openProject({ openai });
  await configurator.select('t', 'digits');
  const resolved = await configurator.resolve('t', {});
  expect(resolved.recipe.openai).toMatchObject([{ base_url: 'http://localhost:8001/v1', api_key: '' }]);
  expect(JSON.stringify(resolved)).not.toContain('open-sesame-1');
});

test('an environment is selected by the name people know it by from elsewhere', async () => {
  const configurator = await open();
  expect((await configurator.select('local', 'gsm8k_tinker')).environment).toBe('gsm8k');
  expect((await configurator.resolve('local', { environment: 'gsm8k_tinker' })).environment).toBe('gsm8k');
});

test('what is shown is what runs: recipe, then the default of the environment, then ours', async () => {
  const { withRecipe } = await openProject({});
  const shownOf = async (recipeFile: Record<string, unknown>, defaults: Record<string, unknown>) => {
    const fields = Object.entries(defaults).map(([name, value]) => ({ name, type: 'integer', default: value }));
    const listed = environments.map((each) => ({ ...each, config_fields: fields }));
    const configurator = withRecipe(recipeFile, listed);
    await configurator.select('local', 'digits');
    const { configurable_fields: open, locked_fields: locked } = await configurator.read('local');
    const { environmentFile, recipe } = await configurator.resolve('local', {});
    for (const { name, current_value: value } of [...open, ...locked]) {
      if (!['group_size', 'batch_size', 'max_token_length', 'max_num_workers', 'total_steps'].includes(name)) continue;
      expect([name, environmentFile[name], recipe.env[name]]).toEqual([name, value, value]);
    }
    return environmentFile;
  };
  expect(await shownOf({}, {})).toMatchObject({ group_size: 16, batch_size: 128, max_token_length: 8192 });
  expect(await shownOf({}, { group_size: 8 })).toMatchObject({ group_size: 8 });
  expect(await shownOf({ env: { group_size: 4, max_token_length: 64 } }, { group_size: 8 })).toMatchObject({
    ...{ group_size: 4, max_token_length: 64 },
  });
});

test('seed, sampling, evaluation, limits and W&B are set, each where it acts', async () => {
  const configurator = await open();
  await configurator.select('t', 'digits');
  const edits = {
    ...{ seed: 5, temperature: 0.7, max_completion_tokens: 12, steps_per_eval: 4 },
    ...{ use_wandb: true, wandb_entity: 'team', wandb_project: 'p', max_steps: 6, max_tokens: 900, budget: 1.5 },
  };
  for (const [field, value] of Object.entries(edits)) await configurator.edit('t', { field, value });
  const { recipe, environmentFile, limits } = await configurator.resolve('t', {});
  const ofEnvironment = { seed: 5, temperature: 0.7, max_completion_tokens: 12, steps_per_eval: 4, use_wandb: true };
  expect(environmentFile).toMatchObject(ofEnvironment);
  expect(recipe.env).toMatchObject(ofEnvironment);
  expect(recipe.tinker).toMatchObject({ seed: 5, wandb_entity: 'team', wandb_project: 'p' });
  expect(limits).toEqual({ steps: 6, tokens: 900, cost: 1.5 });
  for (const name of ['max_steps', 'budget', 'wandb_entity']) expect(environmentFile).not.toHaveProperty(name);
});

test('an environment of Python is offered what it knows, and one with a limit of its own has it', async () => {
  const { withRecipe } = await openProject({});
  const listed = environments.map((each) => ({
    ...each,
    file_path: `/${each.name}.py`,
    config_fields: [{ name: 'max_steps', type: 'integer', default: 30 }],
  }));
  const configurator = withRecipe({}, listed);
  const { config } = await configurator.select('t', 'digits');
  const names = config.configurable_fields.map(({ name }) => name);
  expect(names).not.toContain('temperature');
  expect(names).not.toContain('max_completion_tokens');
  await configurator.edit('t', { field: 'max_steps', value: 5 });
  await configurator.edit('t', { field: 'seed', value: 3 });
  const { recipe, environmentFile, limits } = await configurator.resolve('t', {});
  expect(limits?.steps).toBeUndefined();
  expect(environmentFile).toMatchObject({ max_steps: 5, steps_per_eval: 25, use_wandb: false });
  expect(environmentFile).not.toHaveProperty('seed');
  expect(recipe.tinker).toMatchObject({ seed: 3 });
});

test('several environments are resolved each by itself, with its weight and a name of its own', async () => {
  const { withRecipe } = await openProject({});
  const mix = [
    { name: 'digits', weight: 3, config: { digit: 4 } },
    { name: 'gsm8k', weight: 1, config: {} },
  ];
  const asked = await withRecipe({}).resolve('t', { environments: mix });
  expect(asked).toMatchObject({ environment: 'digits', environmentFile: { digit: 4, inference_weight: 3 } });
  expect(asked.environments).toMatchObject([
    { name: 'digits', weight: 3, environmentFile: { digit: 4, wandb_name: 'digits-19700101-000000-digits' } },
    { name: 'gsm8k', weight: 1, environmentFile: { inference_weight: 1 } },
  ]);
  const ofRecipe = withRecipe({
    environments: [
      { name: 'digits', config: { digit: 2 } },
      { name: 'gsm8k', weight: 4 },
    ],
  });
  expect((await ofRecipe.resolve('u', {})).environments).toMatchObject([
    { weight: 1, environmentFile: { digit: 2 } },
    { weight: 4 },
  ]);
  // Who names them again has what the recipe says of each, unless they say otherwise.
  const again = [mix[1], { name: 'digits', weight: 2, config: {} }].flatMap((each) => each ?? []);
  expect((await ofRecipe.resolve('u', { environments: again })).environments?.[1]?.environmentFile).toMatchObject({
    ...{ digit: 2, inference_weight: 2 },
  });
  expect((await ofRecipe.resolve('u', { environments: mix })).environmentFile).toMatchObject({ digit: 4 });
  // Who chooses one means that one.
  expect((await ofRecipe.resolve('u', { environment: 'gsm8k' })).environments).toBeUndefined();
  const wrong = [{ name: 'digits', weight: 1, config: { digit: 10 } }];
  await expect(ofRecipe.resolve('u', { environments: wrong })).rejects.toThrow('digit must be at most 9');
  expect(() => withRecipe({ environments: [{ name: 'digits', weight: 0 }] })).toThrow('environments.0.weight');
  expect(() => withRecipe({ environments: [{ name: 'a' }, { name: 'a' }] })).toThrow('names an environment twice');
});
