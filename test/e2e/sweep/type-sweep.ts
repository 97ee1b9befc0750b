import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const ENVIRONMENT = fileURLToPath(new URL('../series/letters.ts', import.meta.url));
const MOST_MS = 240_000;

/** What a command printed on standard output; undefined where it was killed. */
export interface TypedSweep {
  readonly out: string | undefined;
}

export interface SweepPlace {
  readonly engineUrl: string;
  readonly home: string;
  readonly folder: string;
  readonly log: (text: string) => void;
  readonly defer: (cleanup: () => Promise<void>) => void;
}

/** The folder that a person types in, with a recipe that is strictly on-policy: the same seed is the same run. */
export async function openPlace(scratch: string, place: Omit<SweepPlace, 'folder' | 'home'>): Promise<SweepPlace> {
  const [home, folder] = [join(scratch, 'home'), join(scratch, 'typed-here')];
  await Promise.all([mkdir(home), mkdir(folder)]);
  const recipe = {
    env: {
      ...{ group_size: 8, batch_size: 16, max_token_length: 64, max_num_workers: 2, max_batches_offpolicy: 0 },
      ...{ total_steps: 2, steps_per_eval: 1, use_wandb: false },
    },
    openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'x' }],
    tinker: { base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128, mode: 'sync' },
  };
  await writeFile(join(folder, 'recipe.yaml'), JSON.stringify(recipe));
  return { ...place, home, folder };
}

export const TRAIN = ['train', '--config', 'recipe.yaml', '--environment', ENVIRONMENT];

/** Types a command; with `killAt` it is killed (-9) once so many runs have told of an evaluation. */
export async function typeLachesis(
  place: SweepPlace,
  args: readonly string[],
  { killAt }: { killAt?: number } = {},
): Promise<TypedSweep> {
  const told = new Set<string>();
  let isKilled = false;
  let out = '';
  const command = await startProcess({
    name: 'lachesis train',
    command: process.execPath,
    args: ['--conditions=lachesis-source', CLI, ...args],
    cwd: place.folder,
    env: {
      LACHESIS_HOME: place.home,
      DATABASE_URL: undefined,
      TINKER_BASE_URL: place.engineUrl,
      LACHESIS_URL: undefined,
    },
    onLine: (line) => {
      out += `${line}\n`;
    },
  });
  command.child.stderr?.on('data', (part: Buffer) => {
    for (const line of part.toString().split('\n')) {
      if (line !== '') place.log(line);
      const run = /^(\S+): eval at step/.exec(line)?.[1];
      if (run !== undefined) told.add(`${run} ${line}`);
      if (killAt !== undefined && told.size >= killAt && !isKilled) {
        isKilled = true;
        command.signal('SIGKILL');
      }
    }
  });
  place.defer(async () => void (await command.stop({ graceMs: 30_000 })));
  const timer = setTimeout(() => void command.stop(), MOST_MS);
  const { code, signal } = await command.exited;
  clearTimeout(timer);
  if (isKilled) return { out: undefined };
  if (code !== 0) throw new Error(`lachesis ${args.join(' ')} ended with ${signal ?? code}:\n${command.logs()}`);
  return { out };
}
