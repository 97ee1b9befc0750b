import type { CallRecord, CaptureReceipt } from '@lachesis/protocol';
import { createControlClient, type ControlClient } from '@lachesis/sdk';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installPackages } from '../../../kit/install-packages.ts';
import type { LachesisCommand } from '../../../kit/lachesis-command.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { endProcesses } from '../../demo/list-processes.ts';
import { buildPage } from '../build-page.ts';
import { makeTalks } from './make-talks.ts';

const run = promisify(execFile);

/** `cpu_tiny` in all sizes, because the engine has compiled those; a shorter warm-up, and more steps than the story waits for. */
const RECIPE = {
  environment: 'digits',
  env: {
    ...{ group_size: 16, batch_size: 64, max_token_length: 64, max_num_workers: 4, max_batches_offpolicy: 1 },
    ...{ total_steps: 400, steps_per_eval: 0, use_wandb: false, rollout_server_url: 'http://localhost:8000' },
  },
  editable: ['group_size', 'batch_size', 'steps_per_eval', 'use_wandb'],
  openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'x' }],
  tinker: {
    ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128, mode: 'sync' },
    save_checkpoint_interval: 2,
    warm_up: { steps: 10, batch_size: 16, learning_rate: 1e-2 },
    allow_flat_reward: true,
  },
};

/** A server of the packed packages with tokens on, its engine, and a person who may do everything on it. */
export interface StoryPlace {
  readonly api: ControlClient;
  /** What `lachesis ui` prints: the page with a code that is good once. */
  makeAddress(): Promise<string>;
  ask<T>(path: string): Promise<T>;
  /** An answer with one JSON value a line. */
  readLines<T>(path: string): Promise<T[]>;
  /** Records calls as an application does. Gives the id of the first one's trajectory. */
  record(...records: readonly CallRecord[]): Promise<string>;
  /** What a person does in a terminal: a step of dpo on a data set. Gives the model, as `name@version`. */
  train(given: { dataset: string; parent: string; name: string }): Promise<string>;
}

export async function openStory(context: ScenarioContext): Promise<StoryPlace> {
  const root = await context.scratch();
  // Processes of a run outlive their server, and a story that ends before its time leaves one under way.
  context.defer(() => endProcesses(root));
  const home = join(root, 'home');
  await mkdir(home);
  const recipe = join(root, 'small.yaml');
  await writeFile(recipe, JSON.stringify(RECIPE));
  const [engine, lachesis] = await Promise.all([
    startEnginePeer({ onProgress: ({ message }) => context.log(message) }),
    buildPage().then(() => installPackages(root)),
  ]);
  context.defer(() => engine.stop());
  context.log('packed, installed, engine up');
  const control = await startControlServer({
    ...{ home, lachesis, wantsTokens: true, flags: ['--recipe', recipe] },
    env: { TINKER_BASE_URL: engine.url, LACHESIS_HOME: undefined },
  });
  context.defer(async () => void (await control.process.stop({ graceMs: 30_000 })));
  const place = await reach({ home, lachesis, url: control.url, engineUrl: engine.url });
  await place.record(...makeTalks());
  return place;
}

interface Reached {
  readonly home: string;
  readonly lachesis: LachesisCommand;
  readonly url: string;
  readonly engineUrl: string;
}

/** What a person can do with a server that is up. */
export async function reach({ home, lachesis, url, engineUrl }: Reached): Promise<StoryPlace> {
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (path: string, body?: object): Promise<string> => {
    const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${url}${path}`, { ...given, headers });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return await reply.text();
  };
  const [program, ...words] = lachesis;
  const type = async (...args: string[]): Promise<unknown> => {
    const own = { LACHESIS_HOME: home, LACHESIS_TOKEN: token, TINKER_BASE_URL: engineUrl, DATABASE_URL: '' };
    const { stdout } = await run(program, [...words, ...args, '--json'], { env: { ...process.env, ...own } });
    return JSON.parse(stdout);
  };
  return {
    api: createControlClient({ url, token }),
    makeAddress: async () => ((await type('ui', '--no-open', '--server', url)) as { url: string }).url,
    ask: async <T>(path: string) => JSON.parse(await send(path)) as T,
    readLines: async <T>(path: string) =>
      (await send(path))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as T),
    async record(...records) {
      const { receipts } = JSON.parse(await send('/v1/records', { records })) as CaptureReceipt;
      return receipts[0]?.trajectory_id ?? '';
    },
    async train({ dataset, parent, name }) {
      const flags = ['--dataset', dataset, '--parent', parent, '--model-name', name, '--max-steps', '1'];
      await type('train', 'dpo', ...flags, '--batch-size', '1', '--lora-rank', '8');
      return `${name}@1`;
    },
  };
}
