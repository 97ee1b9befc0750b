import { ledgerSchema, type Ledger } from '@lachesis/protocol';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { useRealTransformers } from '../../peers/atropos/real-transformers.ts';
import { readJsonLines } from '../../peers/atropos/start-environment.ts';
import { startLachesis } from '../../peers/atropos/start-lachesis.ts';
import { startServer } from '../../peers/atropos/start-server.ts';

const PEERS = fileURLToPath(new URL('../../peers/atropos', import.meta.url));

export const GROUP_SIZE = 16;
export const BATCH_SIZE = 32;
/** A command that takes longer has hung; a step takes 2 s on an idle machine and 6 s on a busy one. */
const START_MS = 120_000;
const STEP_MS = 15_000;
/** Three processes end one after another. */
const END_MS = 30_000;

export type StepMetrics = Readonly<Record<string, number>>;

export interface PythonTraining {
  readonly steps: readonly StepMetrics[];
  readonly ledger: Ledger;
  /** What the environment's own process printed. */
  readonly environmentLog: string;
}

/** Trains on a Python environment with `lachesis train`, to the end; then reads the ledger that it left. */
export async function trainPython(options: {
  readonly engine: { readonly url: string; readonly modelDirectory: string };
  /** A file. */
  readonly environment: string;
  readonly steps: number;
  /** An empty folder. */
  readonly home: string;
  readonly log: (text: string) => void;
  /** Ends what was started, also when the show is interrupted. */
  readonly defer: (cleanup: () => Promise<unknown>) => void;
}): Promise<PythonTraining> {
  const { engine, environment, steps, home, log } = options;
  const recipe = join(home, 'recipe.yaml');
  await writeFile(recipe, writeRecipe({ model: engine.modelDirectory, steps }));
  const transformers = useRealTransformers();
  const training = await startLachesis({
    args: ['train', '--config', recipe, '--environment', environment, '--run', 'python', '--any-port'],
    cwd: home,
    home,
    env: {
      ...transformers,
      PYTHONPATH: `${transformers['PYTHONPATH']}:${PEERS}`,
      TINKER_BASE_URL: engine.url,
    },
    onLine: log,
  });
  const end = (): Promise<unknown> => training.stop({ graceMs: END_MS });
  options.defer(end);
  const timer = setTimeout(() => void end(), START_MS + steps * STEP_MS);
  const { code, signal } = await training.exited;
  clearTimeout(timer);
  const environmentLog = await readFile(join(home, 'logs/rl_training/env_python.log'), 'utf8').catch(String);
  if (code !== 0) {
    const last = environmentLog.slice(-2_000);
    throw new Error(`lachesis train ended with ${signal ?? `code ${code}`}:\n${training.logs()}\nenvironment: ${last}`);
  }
  return {
    steps: await readJsonLines<StepMetrics>(join(home, 'runs/python/metrics.jsonl')),
    ledger: await readLedger(home),
    environmentLog,
  };
}

/** The server is gone; what it kept is not. */
async function readLedger(home: string): Promise<Ledger> {
  await using api = await startServer({ home });
  const reply = await fetch(`${api.url}/run/python/v1/ledger`);
  if (!reply.ok) throw new Error(`the ledger answered ${reply.status}: ${await reply.text()}`);
  return ledgerSchema.parse(await reply.json());
}

/** A recipe as tinker-atropos has them; the model's name is a folder, so that Python finds its tokenizer. */
function writeRecipe({ model, steps }: { model: string; steps: number }): string {
  return JSON.stringify({
    env: {
      group_size: GROUP_SIZE,
      batch_size: BATCH_SIZE,
      max_token_length: 64,
      max_num_workers: 2,
      max_batches_offpolicy: 1,
      total_steps: steps,
      steps_per_eval: 0,
      tokenizer_name: model,
      use_wandb: false,
    },
    openai: [{ model_name: model, base_url: 'http://localhost:8001/v1', api_key: 'x', server_type: 'sglang' }],
    tinker: {
      base_model: 'engine',
      lora_rank: 8,
      learning_rate: 3e-3,
      max_token_trainer_length: 128,
      mode: 'sync',
    },
  });
}
