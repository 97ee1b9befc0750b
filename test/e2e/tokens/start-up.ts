import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';

export const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const ENVIRONMENTS = dirname(fileURLToPath(new URL('environments/watched.ts', import.meta.url)));
const READY_MS = 180_000;
export const STEPS = 2;

export interface Place {
  readonly home: string;
  readonly project: string;
  /** Where the environment writes what it is given. */
  readonly notes: string;
  readonly recipe: string;
}

export interface Outside {
  readonly engineUrl: string;
  readonly providerUrl: string;
  readonly rewardUrl: string;
}

export interface Up {
  readonly controlUrl: string;
  readonly gatewayUrl: string;
  readonly process: RunningProcess;
}

/** A folder to start in and a recipe in it; the home is empty. */
export async function preparePlace(folder: string, { rewardUrl }: Outside): Promise<Place> {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  await Promise.all([home, project].map((path) => mkdir(path)));
  const [notes, recipe] = [join(project, 'notes.jsonl'), join(project, 'quick.yaml')];
  const ports = [await findFreePort(), await findFreePort()];
  const values = {
    environment: 'watched',
    env: {
      ...{ group_size: 4, batch_size: 8, max_token_length: 64, max_num_workers: 4, max_batches_offpolicy: 1 },
      ...{ total_steps: STEPS, steps_per_eval: 10, use_wandb: false, reward_url: rewardUrl, notes_path: notes },
      rollout_server_url: `http://127.0.0.1:${ports[0]}`,
    },
    openai: [{ base_url: `http://127.0.0.1:${ports[1]}/v1`, api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128 },
      ...{ save_checkpoint_interval: 1, mode: 'sync' },
    },
  };
  await writeFile(recipe, JSON.stringify(values));
  return { home, project, notes, recipe };
}

/** The variables of a person's shell, with a key for everything. */
export const variablesOf = (
  { home }: Pick<Place, 'home'>,
  { engineUrl, providerUrl }: Outside,
  keys: Readonly<Record<string, string>>,
): Record<string, string | undefined> => ({
  ...{ DATABASE_URL: undefined, LACHESIS_TOKEN: undefined, LACHESIS_HOME: home, LACHESIS_ENV_PATH: ENVIRONMENTS },
  ...{ TINKER_BASE_URL: engineUrl, OPENAI_BASE_URL: `${providerUrl}/v1`, OPENAI_MODEL: 'm', ...keys },
});

/** `lachesis up` as a person types it, who records calls to a provider and trains on an engine elsewhere. */
export async function startUp(
  place: Place,
  outside: Outside,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Up> {
  const ready = Promise.withResolvers<{ control_url: string; base_url: string }>();
  const serving = await startProcess({
    name: 'lachesis up',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'up', '--recipe', place.recipe, '--json', '--home', place.home],
      ...['--upstream-url', `${outside.providerUrl}/v1`, '--host', '127.0.0.1', '--log-level', 'warn'],
      ...['--port', String(await findFreePort()), '--control-port', String(await findFreePort())],
    ],
    cwd: place.project,
    env,
    onLine: (line) => {
      if (line.startsWith('{')) ready.resolve(JSON.parse(line) as { control_url: string; base_url: string });
    },
  });
  const timer = setTimeout(() => ready.reject(new Error(`not up:\n${serving.logs()}`)), READY_MS);
  void serving.exited.then(({ code }) => ready.reject(new Error(`up ended with ${code}:\n${serving.logs()}`)));
  try {
    const { control_url: controlUrl, base_url: baseUrl } = await ready.promise;
    return { controlUrl, gatewayUrl: new URL(baseUrl).origin, process: serving };
  } catch (error) {
    await serving.stop({ graceMs: 20_000 });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
