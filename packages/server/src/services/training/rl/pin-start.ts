import { LachesisError } from '@lachesis/protocol';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { needState, type ModelScope } from '../../models/find-start.ts';
import { TrainerError } from '../trainer-error.ts';
import { hasLearned } from './has-learned.ts';

/**
 * The state that a run begins with, by whatever its recipe calls it. A name may mean other weights tomorrow: what it meant when
 * the run began is in a file of the run, and holds for as long as the recipe says the same.
 */
export async function pinStart(
  options: ModelScope & {
    given: string | null | undefined;
    file: string;
    run: string;
    /** The key of the recipe that names it. */
    setting?: string | undefined;
  },
): Promise<string | undefined> {
  const { given, file, run, setting = 'initial_state' } = options;
  if (!given) return undefined;
  const pinned = await readPin(file);
  if (pinned?.given === given) return pinned.state;
  if (pinned !== undefined && (await hasLearned(options))) {
    const message = `the run ${run} began with ${String(pinned.given)}, and ${setting} is ${given} now. Take another name for the run.`;
    throw new TrainerError({ kind: 'settings', message });
  }
  const { statePath } = await needState({ ...options, ref: given }).catch(refuse(setting));
  // If we die before the second line, the name is looked up again: nothing has been trained from it.
  await writeFile(`${file}.next`, JSON.stringify({ given, state: statePath }));
  await rename(`${file}.next`, file);
  return statePath;
}

async function readPin(file: string): Promise<{ given?: unknown; state: string } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { given?: unknown; state: string });
}

/** Trying again would find the same. */
const refuse =
  (setting: string) =>
  (error: unknown): never => {
    if (!LachesisError.isInstance(error)) throw error;
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    throw new TrainerError({ kind: 'settings', message: `${setting}: ${error.message}.${hint}`, cause: error });
  };
