import type { Recipe, RunKind } from '@lachesis/protocol';
import { homePaths, runPath } from '@lachesis/protocol/home';
import { findOwnProgram, runTraining, type TrainerStatus } from '@lachesis/server';
import type { JsonValue } from '@lachesis/store';
import { join } from 'node:path';
import { findFileOf } from '../../flags/environment.ts';
import { readStorePlace } from '../../flags/library/open-local-store.ts';
import { fail } from '../../terminal/fail.ts';
import type { MixedEnvironment } from './mix.ts';

export interface RunRecipeOptions {
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  /** Name of the run. */
  readonly run: string;
  readonly kind: RunKind;
  /** A name or a file. */
  readonly environment: string;
  /** Where there are several, all of them; `environment` is the first. */
  readonly environments?: readonly MixedEnvironment[];
  readonly recipe: Recipe;
  readonly recipeName?: string | undefined;
  /** The section env for the environment's own file. */
  readonly environmentFile: Readonly<Record<string, unknown>>;
  readonly environmentFlags?: readonly string[];
  /** Absent for the managed service. */
  readonly engineUrl: string | undefined;
  /** Listen on free ports instead of those of the recipe. */
  readonly anyPort: boolean;
  /** Whether engine and environment are checked first. */
  readonly isChecked: boolean;
  readonly workingDirectory?: string | undefined;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Ends everything at once. */
  readonly hurry: AbortSignal;
  readonly onEvent: (sentence: string) => void;
  readonly onLine: (line: string) => void;
}

export interface RunFiles {
  readonly recipe: string;
  readonly metrics: string;
  readonly apiLog: string;
  readonly trainerLog: string;
  readonly environmentLog: string;
}

/** Where a run keeps what a person looks for. */
export function listRunFiles({ home, run }: { home: string; run: string }): RunFiles {
  const { logs } = homePaths(home);
  const directory = runPath(home, run);
  return {
    recipe: join(directory, `run_${run}.yaml`),
    metrics: join(directory, 'metrics.jsonl'),
    apiLog: join(logs, `api_${run}.log`),
    trainerLog: join(logs, `trainer_${run}.log`),
    environmentLog: join(logs, `env_${run}.log`),
  };
}

/** Makes a run of a recipe and looks after it here, until it has ended or the signal ends it. */
export async function runRecipe(options: RunRecipeOptions): Promise<TrainerStatus | undefined> {
  const { home, run, kind, environment, recipe, environmentFile, engineUrl, anyPort, isChecked } = options;
  const { env, tinker } = recipe as unknown as Record<'env' | 'tinker', Record<string, JsonValue>>;
  return await runTraining({
    ...{ home, run, kind, engineUrl, anyPort, isChecked, recipeName: options.recipeName },
    databaseUrl: options.databaseUrl ?? readStorePlace({ home }).databaseUrl,
    resolved: {
      environment,
      config: { ...env, ...tinker },
      recipe: { env, openai: recipe.openai as unknown as JsonValue[], tinker },
      environmentFile: environmentFile as Record<string, JsonValue>,
      environments: (options.environments ?? []).map((each) => ({
        ...each,
        environmentFile: each.environmentFile as Record<string, JsonValue>,
      })),
      totalSteps: recipe.env.total_steps,
      wandbProject: recipe.tinker.wandb_project ?? null,
      wandbRunName: recipe.tinker.wandb_run_name ?? recipe.env.wandb_name ?? null,
    },
    environmentArguments: withoutPlaces(options.environmentFlags ?? []),
    program: findOwnProgram() ?? fail('this program does not know its own path.'),
    env: { ...process.env, ...options.variables },
    workingDirectory: options.workingDirectory,
    findFile: findFileOf,
    signal: options.signal,
    hurry: options.hurry,
    onEvent: options.onEvent,
    onLine: options.onLine,
  });
}

/** Addresses are this command's to set. */
function withoutPlaces(environmentFlags: readonly string[]): string[] {
  const places = /^--(?:env\.rollout[_-]server[_-]url|openai\.(?:\d+\.)?base[_-]url)(?:=|$)/;
  return environmentFlags.filter((argument, index) => {
    const before = environmentFlags[index - 1] ?? '';
    const isValueOfPlace = places.test(before) && !before.includes('=') && !argument.startsWith('--');
    return !places.test(argument) && !isValueOfPlace;
  });
}
