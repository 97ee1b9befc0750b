import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';

export const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const LETTERS = fileURLToPath(new URL('../../conformance/control/environments/letters.ts', import.meta.url));
export const ENVIRONMENT = 'letters';
export const STEPS = 3;
export const LORA_RANK = 8;
/** A tiny model is made and an engine loads it. */
const READY_MS = 120_000;

/** What a person typed into two terminals would have: the addresses of everything. */
export interface Stack {
  readonly controlUrl: string;
  readonly engineUrl: string;
  readonly process: RunningProcess;
}

export interface StartStackOptions {
  /** Empty, but for what the CI made before. */
  readonly home: string;
  /** Where it is typed. */
  readonly project: string;
}

/** `lachesis up --recipe` on an empty home: engine, control server and gateway. */
export async function startStack({ home, project }: StartStackOptions): Promise<Stack> {
  const recipe = join(project, 'quick.yaml');
  await writeFile(recipe, JSON.stringify(await createRecipe()));
  const ready = Promise.withResolvers<{ control_url: string; engine_url: string }>();
  const serving = await startProcess({
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'up', '--recipe', recipe, '--json', '--home', home],
      ...['--host', '127.0.0.1', '--log-level', 'warn', '--no-token'],
      ...['--port', String(await findFreePort()), '--control-port', String(await findFreePort())],
    ],
    name: 'lachesis up',
    cwd: project,
    env: {
      ...{ TINKER_BASE_URL: undefined, TINKER_API_KEY: undefined, DATABASE_URL: undefined, LACHESIS_TOKEN: undefined },
      ...{ OPENROUTER_API_KEY: undefined, LACHESIS_HOME: undefined, LACHESIS_ENV_PATH: dirname(LETTERS) },
    },
    onLine: (line) => {
      if (line.startsWith('{')) ready.resolve(JSON.parse(line) as { control_url: string; engine_url: string });
    },
  });
  const timer = setTimeout(
    () => ready.reject(new Error(`not up after ${READY_MS} ms; it printed:\n${serving.logs()}`)),
    READY_MS,
  );
  void serving.exited.then(({ code }) => ready.reject(new Error(`up ended with ${code}:\n${serving.logs()}`)));
  try {
    const { control_url: controlUrl, engine_url: engineUrl } = await ready.promise;
    return { controlUrl, engineUrl, process: serving };
  } catch (error) {
    await serving.stop({ graceMs: 20_000 });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** JSON is YAML. A model of random weights has rewards of `letters` that differ, and an evaluation comes in the middle. */
async function createRecipe(): Promise<object> {
  const [apiPort, trainerPort] = [await findFreePort(), await findFreePort()];
  return {
    environment: ENVIRONMENT,
    editable: ['group_size'],
    env: {
      ...{ group_size: 8, batch_size: 16, max_token_length: 64, max_num_workers: 4, max_batches_offpolicy: 1 },
      ...{ total_steps: STEPS, steps_per_eval: 2, use_wandb: false },
      rollout_server_url: `http://127.0.0.1:${apiPort}`,
    },
    openai: [{ base_url: `http://127.0.0.1:${trainerPort}/v1`, api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: LORA_RANK, learning_rate: 2e-3, max_token_trainer_length: 128 },
      ...{ save_checkpoint_interval: 2, mode: 'sync' },
    },
  };
}
