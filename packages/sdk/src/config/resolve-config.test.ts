import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { describeFields } from './describe-fields.ts';
import { parseSectionFlags } from './parse-section-flags.ts';
import { printConfig, writeConfigYaml } from './print-config.ts';
import { readYamlFile } from './read-yaml-file.ts';
import { resolveConfig } from './resolve-config.ts';

const schema = z.object({
  env: z.object({
    group_size: z.int().min(1).default(16).describe('rollouts of one item'),
    use_wandb: z.boolean().default(true),
    wandb_name: z.string().nullable().optional(),
    stop: z.array(z.string()).optional(),
    mode: z.enum(['fast', 'slow']).default('fast'),
  }),
  openai: z
    .array(
      z.object({
        base_url: z.string().default(''),
        api_key: z.string().default('').meta({ secret: true }),
        timeout: z.number().default(5),
      }),
    )
    .default([]),
});

const flagsOf = (...argv: string[]) => parseSectionFlags(argv).flags;
const refusal = (run: () => unknown): ConfigError => {
  try {
    run();
  } catch (error) {
    if (ConfigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('flags go before the file, the file before variables, variables before defaults', () => {
  const { values, origins } = resolveConfig({
    schema,
    defaults: { env: { group_size: 2, use_wandb: false, mode: 'slow', wandb_name: 'own' } },
    env: { LACHESIS_ENV_GROUP_SIZE: '3', LACHESIS_ENV_USE_WANDB: 'yes', LACHESIS_ENV_MODE: 'fast' },
    yaml: { env: { group_size: 4, use_wandb: false } },
    flags: flagsOf('--env.group-size=5'),
  });
  expect(values.env).toEqual({ group_size: 5, use_wandb: false, mode: 'fast', wandb_name: 'own' });
  expect(origins).toMatchObject({
    'env.group_size': 'flag',
    'env.use_wandb': 'yaml',
    'env.mode': 'environment',
    'env.wandb_name': 'default',
    'env.stop': 'default',
  });
});

test('an unknown key is refused with its path and the nearest known one', () => {
  const error = refusal(() => resolveConfig({ schema, yaml: { env: { group_sise: 4 } } }));
  expect([error.kind, error.path]).toEqual(['unknown-key', 'env.group_sise']);
  expect(error.message).toBe('There is no setting env.group_sise, which the file gives. Did you mean env.group_size?');
  expect(refusal(() => resolveConfig({ schema, flags: flagsOf('--evn.group_size', '8') })).message).toContain('env');
  expect(refusal(() => resolveConfig({ schema, yaml: { openai: [{ base_ulr: '' }] } })).path).toBe('openai.0.base_ulr');
  expect(resolveConfig({ schema, yaml: { tinker: { x: 1 } }, otherSections: ['tinker'] }).values.openai).toEqual([]);
});

test('a value that does not fit is refused with its path and where it came from', () => {
  const error = refusal(() => resolveConfig({ schema, flags: flagsOf('--env.group_size', 'many') }));
  expect([error.kind, error.path]).toEqual(['bad-value', 'env.group_size']);
  expect(error.message).toContain('which the command line gives');
  expect(error.message).toContain('"many"');
});

test('servers are given one or many, and flags reach into the list', () => {
  const yaml = { openai: [{ base_url: 'http://a' }, { base_url: 'http://b' }] };
  expect(resolveConfig({ schema, yaml, flags: flagsOf('--openai.1.timeout', '9') }).values.openai).toEqual([
    { base_url: 'http://a', api_key: '', timeout: 5 },
    { base_url: 'http://b', api_key: '', timeout: 9 },
  ]);
  expect(resolveConfig({ schema, flags: flagsOf('--openai.base_url', 'http://c') }).values.openai).toHaveLength(1);
  expect(refusal(() => resolveConfig({ schema, yaml, flags: flagsOf('--openai.timeout', '9') })).message).toContain(
    '--openai.0.timeout',
  );
  const env = { LACHESIS_OPENAI_TIMEOUT: '7', OPENAI_API_KEY: 'k' };
  const variables = { 'openai.0.api_key': ['OPENAI_API_KEY'] };
  const one = resolveConfig({ schema, yaml: { openai: { base_url: 'x' } }, env, variables });
  expect(one.values.openai).toEqual([{ base_url: 'x', api_key: 'k', timeout: 7 }]);
});

test('flags take switches, negation, negative numbers, lists and none', () => {
  const { flags, rest } = parseSectionFlags([
    ...['serve', '--json', '--env.use_wandb', '--no-env.fast', '--env.left', '-1', '--env.stop', 'a', '--env.stop=b'],
  ]);
  expect(flags).toEqual({ env: { use_wandb: 'true', fast: 'false', left: '-1', stop: ['a', 'b'] } });
  expect(rest).toEqual(['serve', '--json']);
  const { values } = resolveConfig({
    schema,
    flags: flagsOf('--env.stop', '["a","b"]', '--env.wandb_name', 'None', '--env.use_wandb', 'False'),
  });
  expect(values.env).toMatchObject({ stop: ['a', 'b'], wandb_name: null, use_wandb: false });
  expect(resolveConfig({ schema, flags: flagsOf('--env.stop', 'a,b') }).values.env.stop).toEqual(['a', 'b']);
  expect(refusal(() => parseSectionFlags(['--env.a', '1', '--env.a.b', '2'])).kind).toBe('bad-flag');
});

test('what is printed and written holds no secret', () => {
  const resolved = resolveConfig({ schema, yaml: { openai: [{ base_url: 'x', api_key: 'secret-1' }] } });
  const printed = printConfig(resolved);
  expect(printed).not.toContain('secret-1');
  expect(printed).toContain('openai.0.api_key: ••••');
  expect(printed).toContain('env.group_size: 16');
  expect(printed).toMatch(/openai\.0\.base_url: "x" +# yaml/);
  expect(writeConfigYaml(resolved)).not.toMatch(/secret|api_key/);
});

test('a file is read with Python’s None, and a broken one is refused with its line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-config-'));
  try {
    await writeFile(join(folder, 'a.yaml'), 'env:\n  wandb_name: None\n  group_size: 4\n');
    expect(await readYamlFile(join(folder, 'a.yaml'))).toEqual({ env: { wandb_name: null, group_size: 4 } });
    await writeFile(join(folder, 'b.yaml'), 'env: [1\nx: 2\n');
    await expect(readYamlFile(join(folder, 'b.yaml'))).rejects.toThrow(/line \d/);
    await expect(readYamlFile(join(folder, 'c.yaml'))).rejects.toThrow(/there is no such file/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('fields are described for help', () => {
  expect(describeFields(schema).slice(0, 1)).toEqual([
    {
      path: 'env.group_size',
      name: 'group_size',
      type: 'integer',
      bounds: { minimum: 1 },
      default: 16,
      description: 'rollouts of one item',
    },
  ]);
  expect(describeFields(schema).map(({ path, type }) => `${path} ${type}`)).toEqual([
    'env.group_size integer',
    'env.use_wandb boolean',
    'env.wandb_name string',
    'env.stop list',
    'env.mode fast|slow',
    'openai.base_url string',
    'openai.api_key string',
    'openai.timeout number',
  ]);
});
