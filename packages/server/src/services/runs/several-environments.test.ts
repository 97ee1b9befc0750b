import { readYamlFile } from '@lachesis/sdk/config';
import type { TrainingRun } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toRunConfig, type ResolvedRun } from './config/configurator.ts';
import { summarizeRun } from './describe-run.ts';
import { createRunPlanner, placeRun } from './plan-run.ts';
import { createEnvironmentSplitter } from './preflight/check-each-environment.ts';
import { PreflightFailure } from './preflight/failure.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-several-'));
});
afterAll(() => rm(home, { recursive: true }));

const fileOf = (name: string, weight: number, rest = {}) => ({
  ...{ name, weight },
  environmentFile: { ...rest, inference_weight: weight, wandb_name: `rl-${name}` },
});

function makeRun(environments: ResolvedRun['environments'] & object): TrainingRun {
  const [first] = environments;
  const resolved: ResolvedRun = {
    ...{ environment: first?.name ?? '', config: {}, environmentFile: first?.environmentFile ?? {}, environments },
    recipe: { env: { group_size: 4 }, openai: [{ base_url: 'http://x/v1', api_key: 'k' }], tinker: {} },
    ...{ totalSteps: 2, wandbProject: null, wandbRunName: null },
  };
  const places = placeRun({ home, workingDirectory: home, shortId: 'mixed', resolved, engineUrl: undefined });
  return {
    ...{ runId: 'id', shortId: 'mixed', tenantId: 'local', environment: resolved.environment, state: 'waiting' },
    ...{ config: toRunConfig(resolved), details: places.details },
  } as unknown as TrainingRun;
}

const planner = (env: Record<string, string> = {}) =>
  createRunPlanner({
    ...{ home, databaseUrl: undefined, env, passEnv: [], workingDirectory: home },
    program: { file: 'node', arguments: ['main'] },
  });
const PORTS = { api: 1, trainer: 2, env: null };

test('several environments are one process of the run, each with a file of its own', async () => {
  const run = makeRun([fileOf('digits', 3, { digit: 4 }), fileOf('letters', 1)]);
  const { processes } = await planner()(run, PORTS);
  const folder = join(home, 'runs/mixed');
  expect(processes.env).toMatchObject({ arguments: ['main', 'env', 'mix', join(folder, 'env_mixed_mix.yaml')] });
  expect(await readYamlFile(join(folder, 'env_mixed_mix.yaml'))).toEqual({
    environments: [
      { name: 'digits', config: join(folder, 'env_mixed.yaml') },
      { name: 'letters', config: join(folder, 'env_mixed_2.yaml') },
    ],
  });
  expect(await readYamlFile(join(folder, 'env_mixed.yaml'))).toMatchObject({
    env: { digit: 4, inference_weight: 3, wandb_name: 'rl-digits', rollout_server_url: 'http://127.0.0.1:1/run/mixed' },
  });
  expect(await readYamlFile(join(folder, 'env_mixed_2.yaml'))).toMatchObject({
    env: { inference_weight: 1, wandb_name: 'rl-letters' },
    openai: [{ base_url: 'http://127.0.0.1:2/v1' }],
  });
  // The trainer reads it, and who trains with it again gets the same run.
  expect(await readYamlFile(join(folder, 'run_mixed.yaml'))).toMatchObject({
    environments: [
      { name: 'digits', weight: 3, config: { digit: 4 } },
      { name: 'letters', weight: 1, config: { inference_weight: 1 } },
    ],
  });
  const named = [
    { name: 'digits', weight: 3 },
    { name: 'letters', weight: 1 },
  ];
  expect(summarizeRun(run)).toMatchObject({ environment: 'digits', environments: named });
});

test('one environment is served as before', async () => {
  const run = makeRun([fileOf('digits', 1)]);
  const { processes } = await planner()(run, PORTS);
  expect(processes.env?.arguments.slice(1, 4)).toEqual(['env', 'serve', 'digits']);
  expect(run.config).not.toHaveProperty('environments');
  expect(summarizeRun(run)).not.toHaveProperty('environments');
});

test('the key of a reward server goes to no mix in which an agent named something', async () => {
  const scored = fileOf('scored', 1, { reward_url: 'http://r' });
  const key = { LACHESIS_REWARD_KEY: 'k' };
  const plain = await planner(key)(makeRun([fileOf('digits', 1), scored]), PORTS);
  expect(plain.processes.env?.env).toMatchObject(key);
  const named = await planner(key)(makeRun([fileOf('digits', 1, { api_fields: ['data'] }), scored]), PORTS);
  expect(named.processes.env?.env).not.toHaveProperty('LACHESIS_REWARD_KEY');
});

test('each environment is checked before the start, and the one that fails is named', async () => {
  const run = makeRun([fileOf('digits', 3), fileOf('letters', 1, { is_broken: true })]);
  const signal = new AbortController().signal;
  const check = (work: (run: TrainingRun) => { state: 'passed' | 'warned'; message: string }) =>
    createEnvironmentSplitter()({ name: 'environment', limitMs: 10, fix: '', run: async (each) => work(each) });
  const fine = check(({ environment }) => ({ state: environment === 'digits' ? 'warned' : 'passed', message: 'Hm.' }));
  expect(await fine.run(run, signal)).toEqual({ state: 'warned', message: 'digits: Hm. letters: Hm.' });
  expect(typeof fine.limitMs === 'function' && fine.limitMs(run)).toBe(20);
  const broken = check(({ config }) => {
    const { environmentFile } = config as { environmentFile: { is_broken?: boolean } };
    if (environmentFile.is_broken === true) throw new PreflightFailure({ message: 'no items.', fix: 'Add some.' });
    return { state: 'passed', message: 'Fine.' };
  });
  await expect(broken.run(run, signal)).rejects.toMatchObject({ message: 'letters: no items.', fix: 'Add some.' });
});
