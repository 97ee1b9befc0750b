import { createControlClient, type ControlClient } from '@lachesis/sdk';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installPackages } from '../../../kit/install-packages.ts';
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
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const recorded = await fetch(`${control.url}/v1/records`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ records: makeTalks() }) },
  });
  if (!recorded.ok) throw new Error(`the talks were not kept: ${await recorded.text()}`);
  const [program, ...words] = lachesis;
  return {
    api: createControlClient({ url: control.url, token }),
    async makeAddress() {
      const args = [...words, 'ui', '--no-open', '--json', '--server', control.url];
      const { stdout } = await run(program, args, {
        env: { ...process.env, LACHESIS_HOME: home, LACHESIS_TOKEN: token },
      });
      return (JSON.parse(stdout) as { url: string }).url;
    },
    async ask<T>(path: string) {
      const reply = await fetch(`${control.url}${path}`, { headers });
      if (!reply.ok) throw new Error(`GET ${path} answered ${reply.status}: ${await reply.text()}`);
      return (await reply.json()) as T;
    },
  };
}
