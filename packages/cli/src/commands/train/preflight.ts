import type { Recipe } from '@lachesis/protocol';
import { resolveEnvironmentConfig } from '@lachesis/sdk/environment';
import { findEngine } from '@lachesis/tinker/engine';
import { fail } from '../../terminal/fail.ts';
import {
  failWithEnvironmentError,
  findPythonFile,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';

export interface TrainPreflightOptions {
  readonly home: string;
  /** A name or a file. */
  readonly environment: string;
  readonly environmentFile: Readonly<Record<string, unknown>>;
  readonly environmentFlags: readonly string[];
  readonly recipe: Recipe;
  readonly engineUrl: string | undefined;
}

/** Refuses what is known to fail before a process is started: the environment's file, its settings, the rank. */
export async function checkBeforeTraining(options: TrainPreflightOptions): Promise<void> {
  await checkRank(options);
  await checkEnvironment(options).catch((error: unknown) => failWithEnvironmentError(error));
}

async function checkRank({ home, recipe, engineUrl }: TrainPreflightOptions): Promise<void> {
  const problem = findRankProblem({ tinker: recipe.tinker, engineUrl, engine: await findEngine({ home }) });
  if (problem !== undefined) fail(problem);
}

/** Why an engine of this machine would refuse the rank of a recipe. */
export function findRankProblem(options: {
  tinker: Pick<Recipe['tinker'], 'initial_state' | 'lora_rank'>;
  engineUrl: string | undefined;
  engine: { url: string; maxLoraRank?: number | undefined } | undefined;
}): string | undefined {
  const { tinker, engineUrl, engine } = options;
  const { lora_rank: rank, initial_state: initialState } = tinker;
  const most = engine?.maxLoraRank;
  // Another engine says itself what it takes; weights that are gone on with have their rank already.
  if (engine === undefined || engine.url !== engineUrl || most === undefined || initialState) return undefined;
  if (rank <= most) return undefined;
  return (
    `lora_rank is ${rank}, and the engine on ${engine.url} takes at most ${most}. ` +
    `Add --tinker.lora_rank ${most}, or name it in the recipe.`
  );
}

async function checkEnvironment(options: TrainPreflightOptions): Promise<void> {
  const { environment, environmentFile, environmentFlags, recipe } = options;
  // A Python environment reads its own settings.
  if ((await findPythonFile(environment)) !== undefined) return;
  const definition = await loadDefinition(environment);
  const { flags } = readEnvironmentArguments([environment, ...environmentFlags]);
  resolveEnvironmentConfig({
    definition,
    flags,
    yaml: { env: environmentFile, openai: recipe.openai },
    env: process.env,
  });
}
