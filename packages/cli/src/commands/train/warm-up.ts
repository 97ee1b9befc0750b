import type { Recipe } from '@lachesis/protocol';
import type { TaughtExample } from '@lachesis/sdk/environment';
import { loadTokenizer } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';
import { defineCommand } from 'citty';
import { readFile } from 'node:fs/promises';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readHome } from '../../flags/engine.ts';
import { listExamples } from '../env/examples.ts';
import { failWithEnvironmentError, readEnvironmentArguments } from '../../flags/environment.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { teachExamples, type Taught } from './teach-examples.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { readRecipe } from '../../flags/read-recipe.ts';
import { findNamedRecipe } from './recipe-file.ts';

const flags = {
  config: { type: 'string', description: 'recipe: a name, or YAML with the sections env, openai and tinker' },
  environment: { type: 'string', description: 'environment whose examples are taught (default: that of the recipe)' },
  examples: { type: 'string', description: 'file of `lachesis env examples` (default: the environment is asked)' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  json: { type: 'boolean', description: 'print the state as JSON' },
} as const;

const DEFAULTS = { steps: 25, batch_size: 16, learning_rate: 1e-2 };

export const trainWarmUpCommand = defineCommand({
  meta: {
    name: 'warm-up',
    description: 'Teach examples of an environment, so that the first rollouts of a run can earn something.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    const home = readHome(args);
    const read = await readRecipe({
      config: args.config === undefined ? undefined : findNamedRecipe({ given: args.config, home }),
      ...{ rawArgs, env: process.env },
    });
    refuseUnknownFlags(flags, read.rest);
    const engineUrl = await findEngineUrl(read.recipe, { home });
    const several = read.recipe.environments ?? [];
    if (several.length > 1 && args.environment === undefined && args.examples === undefined) {
      const names = several.map(({ name }) => name).join(', ');
      fail(`the recipe has several environments (${names}). Say with --environment whose examples are taught.`);
    }
    const environment = args.environment ?? several[0]?.name ?? read.recipe.environment;
    const { signal } = listenForShutdown();
    const { statePath, losses } = await warmUp({
      ...read,
      ...{ environment, engineUrl, signal },
      examples: args.examples === undefined ? undefined : await readExamples(args.examples),
      onStep: (step, loss) => void process.stderr.write(`warm-up step ${step}: loss ${loss.toFixed(3)}\n`),
    });
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ state: statePath, losses })}\n`
        : `${statePath}\n  begin with it: lachesis train --tinker.initial_state ${statePath}\n`,
    );
  },
});

export interface WarmUpOptions {
  readonly recipe: Recipe;
  /** A name or a file. */
  readonly environment: string;
  readonly environmentFile: Readonly<Record<string, unknown>>;
  readonly environmentFlags: readonly string[];
  /** Absent for the managed service. */
  readonly engineUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly onStep?: (step: number, loss: number) => void;
  /** What is taught; the environment is asked when absent. */
  readonly examples?: readonly TaughtExample[] | undefined;
}

/** Makes the state a recipe wants to begin with, from examples of its environment. */
export async function warmUp(options: WarmUpOptions): Promise<Taught> {
  const { recipe, signal } = options;
  const { tinker, env } = recipe;
  const plan = tinker.warm_up ?? DEFAULTS;
  await using service = await createTinkerClient({ baseUrl: options.engineUrl }).connect({ signal });
  const named = tinker.base_model ?? tinker.tinker_model_name ?? env.tokenizer_name;
  const baseModel = named === 'engine' ? service.models[0]?.name : named;
  if (baseModel === undefined)
    return fail('the engine does not say which model it has. Name one: --tinker.base_model.');
  const count = Math.min(plan.steps * plan.batch_size, MOST_EXAMPLES);
  return await teachExamples({
    ...{ service, baseModel, signal, rank: tinker.lora_rank, seed: tinker.seed, name: 'warm-up' },
    ...{ steps: plan.steps, examplesPerStep: plan.batch_size, learningRate: plan.learning_rate },
    tokenizer: await loadTokenizer({ model: baseModel, signal }),
    examples: options.examples ?? (await askEnvironment(options, count)),
    ...(options.onStep === undefined ? {} : { onStep: options.onStep }),
  });
}

/** More would be the same ones again. */
const MOST_EXAMPLES = 10_000;

async function askEnvironment(options: WarmUpOptions, count: number): Promise<TaughtExample[]> {
  const { environment, environmentFile, environmentFlags, recipe, signal } = options;
  const { flags: given } = readEnvironmentArguments([environment, ...environmentFlags]);
  const yaml = { env: environmentFile, openai: recipe.openai };
  return await listExamples({ environment, flags: given, yaml, count, signal }).catch((error: unknown) =>
    failWithEnvironmentError(error),
  );
}

/** As `lachesis env examples` writes them. */
async function readExamples(file: string): Promise<TaughtExample[]> {
  const text = await readFile(file, 'utf8').catch(() =>
    fail(`${file} cannot be read. Make it with \`lachesis env examples\`.`),
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TaughtExample);
}
