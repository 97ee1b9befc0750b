import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startControlServer, type ControlServer } from '../../kit/start-control-server.ts';

const LETTERS = fileURLToPath(new URL('environments/letters.ts', import.meta.url));
/** Longer than any show: a run is stopped and never completes. */
const STEPS = 500;

export interface StartControlOptions {
  /** Address of the engine that runs train on. */
  readonly engineUrl: string;
  /** An empty folder. */
  readonly home: string;
  /** As `startControlServer` has it. */
  readonly answers?: string | undefined;
}

/** A control server with a recipe for the tiny model. */
export type Control = AsyncDisposable & ControlServer;

export async function startControl({ engineUrl, home, answers }: StartControlOptions): Promise<Control> {
  const recipe = join(home, 'tiny.yaml');
  await writeFile(recipe, writeRecipe({ apiPort: await findFreePort(), trainerPort: await findFreePort() }));
  const server = await startControlServer({
    ...{ home, answers },
    flags: ['--recipe', recipe],
    env: { TINKER_BASE_URL: engineUrl, TINKER_API_KEY: undefined, LACHESIS_ENV_PATH: dirname(LETTERS) },
  });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server.process.stop({ graceMs: 20_000 });
    },
  };
}

/** JSON is YAML. */
function writeRecipe({ apiPort, trainerPort }: { apiPort: number; trainerPort: number }): string {
  return JSON.stringify({
    editable: ['group_size'],
    env: {
      group_size: 8,
      batch_size: 16,
      max_token_length: 64,
      max_num_workers: 2,
      max_batches_offpolicy: 1,
      total_steps: STEPS,
      steps_per_eval: 0,
      rollout_server_url: `http://127.0.0.1:${apiPort}`,
      use_wandb: false,
    },
    openai: [{ base_url: `http://127.0.0.1:${trainerPort}/v1`, api_key: 'x' }],
    tinker: {
      base_model: 'engine',
      lora_rank: 8,
      learning_rate: 2e-3,
      max_token_trainer_length: 128,
      save_checkpoint_interval: 25,
      mode: 'sync',
    },
  });
}
