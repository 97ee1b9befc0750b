import { createControlClient, type ControlClient } from '@lachesis/sdk';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import type { RunningProcess } from '../../kit/start-process.ts';

const VOWELS = fileURLToPath(new URL('environments/vowels.ts', import.meta.url));
export const BATCH_SIZE = 16;
export const GROUP_SIZE = 8;

export interface WhyControl {
  readonly client: ControlClient;
  readonly process: RunningProcess;
}

/** A control server with a recipe for the tiny model. */
export async function startWhyControl({
  engineUrl,
  home,
  hangFile,
}: {
  engineUrl: string;
  home: string;
  /** While it is there, the verifier of the environment hangs. */
  hangFile: string;
}): Promise<WhyControl> {
  const recipe = join(home, 'tiny.yaml');
  await writeFile(recipe, JSON.stringify(await createRecipe()));
  const server = await startControlServer({
    home,
    // Environments get the variables they need and no others; this one is named.
    flags: ['--recipe', recipe, '--pass-env', 'VOWELS_HANG_FILE'],
    env: {
      TINKER_BASE_URL: engineUrl,
      TINKER_API_KEY: undefined,
      LACHESIS_ENV_PATH: dirname(VOWELS),
      VOWELS_HANG_FILE: hangFile,
    },
  });
  return { client: createControlClient({ url: server.url }), process: server.process };
}

/** JSON is YAML. Longer than any show: the runs are stopped. */
async function createRecipe(): Promise<object> {
  const [apiPort, trainerPort] = [await findFreePort(), await findFreePort()];
  return {
    editable: ['group_size'],
    env: {
      ...{ group_size: GROUP_SIZE, batch_size: BATCH_SIZE, max_token_length: 64, max_num_workers: 2 },
      ...{ max_batches_offpolicy: 1, total_steps: 5_000, steps_per_eval: 0, use_wandb: false },
      rollout_server_url: `http://127.0.0.1:${apiPort}`,
    },
    openai: [{ base_url: `http://127.0.0.1:${trainerPort}/v1`, api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128 },
      ...{ save_checkpoint_interval: 0, mode: 'sync' },
    },
  };
}
