import type { Recipe } from '@lachesis/protocol';
import { resolveEnvironmentConfig } from '@lachesis/sdk/environment';
import { checkOwnCode } from '@lachesis/server';
import { findEngine } from '@lachesis/tinker/engine';
import { fail } from '../../terminal/fail.ts';
import type { MixedEnvironment } from './mix.ts';
import {
  failWithEnvironmentError,
  findPythonFile,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';

export interface TrainPreflightOptions {
  readonly home: string;
  readonly environments: readonly MixedEnvironment[];
  readonly environmentFlags: readonly string[];
  readonly recipe: Recipe;
  readonly engineUrl: string | undefined;
}

/** Refuses what is known to fail before a process is started: the environment's file, its settings, the rank. */
export async function checkBeforeTraining(options: TrainPreflightOptions): Promise<void> {
  await checkRank(options);
  for (const environment of options.environments) {
    await checkEnvironment(options, environment).catch((error: unknown) => failWithEnvironmentError(error));
  }
}

/** Loss and advantage of one's own; said before an engine is looked for. */
export async function checkCode({ tinker }: Recipe): Promise<void> {
  await checkOwnCode(tinker).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
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

async function checkEnvironment(
  { environmentFlags, recipe }: TrainPreflightOptions,
  { name: environment, environmentFile }: MixedEnvironment,
): Promise<void> {
  // A Python environment reads its own settings.
  if ((await findPythonFile(environment)) !== undefined) {
    if (recipe.env.max_batches_offpolicy === 0) fail(describePythonOnPolicy(environment));
    return;
  }
  const definition = await loadDefinition(environment);
  const { flags } = readEnvironmentArguments([environment, ...environmentFlags]);
  resolveEnvironmentConfig({
    definition,
    flags,
    yaml: { env: environmentFile, openai: recipe.openai },
    env: process.env,
  });
}

/** Its library has no way to wait for the weights of a step. */
const describePythonOnPolicy = (environment: string): string =>
  `env.max_batches_offpolicy is 0 (strictly on-policy), and ${environment} is written in Python, which samples ahead of the trainer. ` +
  'Set it to 1 or more, or write the environment in TypeScript (`lachesis env new`).';
