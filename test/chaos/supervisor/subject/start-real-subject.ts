import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { COMPILED, openSubject, type Subject } from './start-subject.ts';

const CLI = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
const LETTERS = fileURLToPath(new URL('../../../conformance/control/environments/letters.ts', import.meta.url));

/** `lachesis serve control` as a person starts it; its runs train a tiny model on a real engine. */
export async function startRealSubject(options: { home: string; engineUrl: string; steps: number }): Promise<Subject> {
  const { home, engineUrl, steps } = options;
  const [port, apiPort, trainerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const recipe = join(home, 'tiny.yaml');
  // JSON is YAML.
  await writeFile(recipe, JSON.stringify(createRecipe({ steps, apiPort, trainerPort })));
  return await openSubject({
    ...{ home, port, request: { environment: 'letters' } },
    launch: () => ({
      name: 'control',
      command: process.execPath,
      args: [
        ...['--conditions=lachesis-source', CLI, 'serve', 'control', '--recipe', recipe],
        ...['--host', '127.0.0.1', '--port', String(port), '--home', home, '--log-level', 'warn', '--no-token'],
      ],
      cwd: home,
      env: {
        ...{ TINKER_BASE_URL: engineUrl, LACHESIS_ENV_PATH: dirname(LETTERS), NODE_COMPILE_CACHE: COMPILED },
        ...{ TINKER_API_KEY: undefined, DATABASE_URL: undefined, LACHESIS_TOKEN: undefined },
      },
    }),
  });
}

function createRecipe({
  steps,
  apiPort,
  trainerPort,
}: {
  steps: number;
  apiPort: number;
  trainerPort: number;
}): object {
  return {
    env: {
      ...{ group_size: 8, batch_size: 16, max_token_length: 64, max_num_workers: 2, max_batches_offpolicy: 1 },
      ...{ total_steps: steps, steps_per_eval: 0, use_wandb: false },
      rollout_server_url: `http://127.0.0.1:${apiPort}`,
    },
    openai: [{ base_url: `http://127.0.0.1:${trainerPort}/v1`, api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128 },
      ...{ save_checkpoint_interval: 5, mode: 'sync' },
    },
  };
}
