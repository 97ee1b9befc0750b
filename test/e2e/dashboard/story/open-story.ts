import type { CallRecord, CaptureReceipt } from '@lachesis/protocol';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { endProcesses } from '../../demo/list-processes.ts';
import { installDashboard, openServer, type DashboardServer } from '../open-server.ts';
import { makeTalks } from './make-talks.ts';

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

/** A server with its engine, and what a person does on it besides the page. */
export interface StoryPlace extends Pick<DashboardServer, 'api' | 'ask' | 'makeAddress'> {
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
  const [engine] = await Promise.all([
    startEnginePeer({ onProgress: ({ message }) => context.log(message) }),
    installDashboard(),
  ]);
  context.defer(() => engine.stop());
  context.log('packed, installed, engine up');
  const server = await openServer(context, {
    ...{ home, flags: ['--recipe', recipe], env: { TINKER_BASE_URL: engine.url }, graceMs: 30_000 },
  });
  const place: StoryPlace = {
    ...server,
    readLines: async <T>(path: string) =>
      (await server.askText(path))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as T),
    async record(...records) {
      const { receipts } = await server.ask<CaptureReceipt>('/v1/records', { records });
      return receipts[0]?.trajectory_id ?? '';
    },
    async train({ dataset, parent, name }) {
      const flags = ['--dataset', dataset, '--parent', parent, '--model-name', name, '--max-steps', '1'];
      await server.type('train', 'dpo', ...flags, '--batch-size', '1', '--lora-rank', '8');
      return `${name}@1`;
    },
  };
  await place.record(...makeTalks());
  return place;
}
