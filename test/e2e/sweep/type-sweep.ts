import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { openLachesis, type Lachesis } from '../first-run/lachesis.ts';

const ENVIRONMENT = join(import.meta.dirname, '../series/letters.ts');
const MOST_MS = 240_000;

/** A recipe that is strictly on-policy: the same seed is the same run. */
const RECIPE = {
  env: {
    ...{ group_size: 8, batch_size: 16, max_token_length: 64, max_num_workers: 2, max_batches_offpolicy: 0 },
    ...{ total_steps: 2, steps_per_eval: 1, use_wandb: false },
  },
  openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'x' }],
  tinker: { base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128, mode: 'sync' },
};

export const TRAIN = ['train', '--config', 'recipe.yaml', '--environment', 'letters.ts'];

/** Somebody who installed the packages, and has a recipe, an environment and the address of the real engine. */
export async function openPlace(context: ScenarioContext): Promise<Lachesis> {
  const starting = startEnginePeer({ onProgress: ({ message }) => context.log(message) });
  context.defer(async () => (await starting).stop());
  const [engine, machine] = await Promise.all([starting, installPackages(context, await context.scratch())]);
  const place = await machine.openInstalled('sweep');
  await copyFile(ENVIRONMENT, join(place.folder, 'letters.ts'));
  await writeFile(join(place.folder, 'recipe.yaml'), JSON.stringify(RECIPE));
  return openLachesis({ ...place, env: { ...place.env, TINKER_BASE_URL: engine.url } }, context.log);
}

/** Begins a sweep and kills it (-9) once its runs have told of so many evaluations. */
export async function killSweep(
  { log, defer }: ScenarioContext,
  lachesis: Lachesis,
  { args, killAt }: { args: readonly string[]; killAt: number },
): Promise<void> {
  const command = await lachesis.begin(args);
  defer(async () => void (await command.stop({ graceMs: 30_000 })));
  const timer = setTimeout(() => void command.stop(), MOST_MS);
  const told = new Set<string>();
  command.child.stderr?.on('data', (part: string) => {
    for (const line of part.split('\n')) {
      if (line !== '') log(line);
      if (/^\S+: eval at step/.test(line)) told.add(line);
    }
    if (told.size >= killAt) command.signal('SIGKILL');
  });
  const { code, signal } = await command.exited;
  clearTimeout(timer);
  // One that had to be ended since it told too little was not killed in the middle.
  if (signal !== 'SIGKILL' || told.size < killAt)
    throw new Error(`lachesis ${args.join(' ')} ended with ${signal ?? code}:\n${command.logs()}`);
}
