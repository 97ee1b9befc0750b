import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const ENVIRONMENT = fileURLToPath(new URL('letters.ts', import.meta.url));
const MOST_MS = 240_000;

export const RUN = 'series';

/** `lachesis train` with everything that takes metrics switched on. Resolves with the lines it printed. */
export async function trainLetters(options: {
  readonly engineUrl: string;
  readonly python: string;
  readonly home: string;
  /** Where the command is typed. */
  readonly folder: string;
  readonly steps: number;
  readonly stepsPerEvaluation: number;
  readonly log: (text: string) => void;
  readonly defer: (cleanup: () => Promise<void>) => void;
}): Promise<readonly string[]> {
  const recipe = join(options.folder, 'recipe.yaml');
  await writeFile(recipe, writeRecipe(options));
  const lines: string[] = [];
  const training = await startProcess({
    name: 'lachesis train',
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'train', '--config', recipe, '--environment', ENVIRONMENT],
      ...['--run', RUN, '--any-port', '--env.use_wandb'],
    ],
    cwd: options.folder,
    env: {
      ...{ LACHESIS_HOME: options.home, DATABASE_URL: undefined, TINKER_BASE_URL: options.engineUrl },
      ...{
        LACHESIS_WANDB_PYTHON: options.python,
        WANDB_MODE: 'offline',
        WANDB_PROJECT: 'letters',
        WANDB_SILENT: 'true',
      },
    },
    onLine: (line) => {
      lines.push(line);
      options.log(line);
    },
  });
  const end = async (): Promise<void> => void (await training.stop({ graceMs: 30_000 }));
  options.defer(end);
  const timer = setTimeout(() => void end(), MOST_MS);
  const { code, signal } = await training.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`lachesis train ended with ${signal ?? `code ${code}`}:\n${training.logs()}`);
  return lines;
}

function writeRecipe({ steps, stepsPerEvaluation }: { steps: number; stepsPerEvaluation: number }): string {
  return JSON.stringify({
    env: {
      ...{ group_size: 8, batch_size: 32, max_token_length: 64, max_num_workers: 4, max_batches_offpolicy: 1 },
      ...{ total_steps: steps, steps_per_eval: stepsPerEvaluation, use_wandb: false },
    },
    openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128, mode: 'sync' },
      use_tensorboard: true,
    },
  });
}
