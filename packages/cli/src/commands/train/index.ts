import { describeNames, isName } from '@lachesis/protocol/names';
import type { Recipe } from '@lachesis/protocol';
import { runPath } from '@lachesis/protocol/home';
import type { TrainerStatus } from '@lachesis/server';
import { startEngine } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { join } from 'node:path';
import { explainFailure } from '../../demo/explain-failure.ts';
import { fail } from '../../terminal/fail.ts';
import { failWithEngineError, readHome, readMakeOptions } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { describeLearning } from './learned.ts';
import { checkBeforeTraining } from './preflight.ts';
import { readRecipe } from '../../flags/read-recipe.ts';
import { listRunFiles, runRecipe } from './run.ts';
import { readWarmUp, warmUp, writeWarmUp, type WarmUpOptions } from './warm-up.ts';
import { findNamedRecipe } from './recipe-file.ts';

const flags = {
  config: { type: 'string', description: 'recipe: a name, or YAML with the sections env, openai and tinker' },
  environment: {
    type: 'string',
    description: 'environment to run, a name or a file; the one of the recipe, else gsm8k',
  },
  run: { type: 'string', description: 'name of the run; a name that was used before goes on with that run' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'any-port': { type: 'boolean', description: 'listen on free ports instead of those of the recipe' },
  'start-engine': { type: 'boolean', description: 'start the local engine first, if none runs' },
  json: { type: 'boolean', description: 'print the last status as JSON' },
} as const;

export const trainCommand = defineCommand({
  meta: {
    name: 'train',
    description: 'Train: trajectory API, trainer with inference, and environment, as one tree of processes.',
  },
  args: flags,
  subCommands: {
    dpo: () => import('./records.ts').then((module) => module.recordCommands.dpo),
    kto: () => import('./records.ts').then((module) => module.recordCommands.kto),
    reward: () => import('./records.ts').then((module) => module.recordCommands.reward),
    rlhf: () => import('./rlhf.ts').then((module) => module.trainRlhfCommand),
    'warm-up': () => import('./warm-up.ts').then((module) => module.trainWarmUpCommand),
    sft: () => import('./records.ts').then((module) => module.recordCommands.sft),
  },
  async run({ args, rawArgs }) {
    const home = readHome(args);
    const { recipe, environmentFile, environmentFlags, rest } = await readRecipe({
      config: args.config === undefined ? undefined : findNamedRecipe({ given: args.config, home }),
      rawArgs,
      env: process.env,
    });
    refuseUnknownFlags(flags, rest);
    const { signal, hurry } = listenForShutdown();

    const engineUrl =
      args['start-engine'] === true && recipe.tinker.base_url === undefined
        ? (await startEngine({ ...readMakeOptions({ home }) }).catch(failWithEngineError)).url
        : await findEngineUrl(recipe, { home });
    const environment = args.environment ?? recipe.environment;
    const run = args.run ?? nameRun(environment, new Date());
    if (!isName('run', run)) fail(`${JSON.stringify(run)} is not a valid name for a run: ${describeNames('run')}.`);
    await checkBeforeTraining({ home, environment, environmentFile, environmentFlags, recipe, engineUrl });
    const files = listRunFiles({ home, run });
    process.stdout.write(
      `run ${run}: environment ${environment}, ${recipe.env.total_steps} steps, engine ${engineUrl ?? 'the managed service'}\n` +
        `  recipe: ${files.recipe}\n  metrics: ${files.metrics}\n`,
    );
    const begun = await withWarmUp(join(runPath(home, run), 'warm-up.json'), {
      ...{ recipe, environment, environmentFile, environmentFlags, engineUrl, signal },
    }).catch((error: unknown) => fail(`the warm-up failed: ${error instanceof Error ? error.message : String(error)}`));
    const status = await runRecipe({
      home,
      run,
      environment,
      recipe: begun,
      environmentFile,
      environmentFlags,
      engineUrl,
      anyPort: args['any-port'] === true,
      signal,
      hurry,
      onEvent: (sentence) => void process.stderr.write(`${sentence}\n`),
      onLine: (line) => {
        if (/^(step|training) /.test(line)) process.stdout.write(`${line}\n`);
      },
    }).catch(async (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      const stations = [
        { name: 'trainer', logFile: files.trainerLog },
        { name: 'environment', logFile: files.environmentLog },
        { name: 'trajectory API', logFile: files.apiLog },
      ];
      return fail((await explainFailure(reason, { stations, cause: error })).message);
    });
    if (args.json !== true) process.stderr.write(await describeLearning(files.metrics));
    end(status, args.json === true, run);
  },
});

/** The recipe with the state of its warm-up, where it asks for one. A run that goes on has made it before. */
async function withWarmUp(file: string, options: WarmUpOptions): Promise<Recipe> {
  const { recipe } = options;
  if (!recipe.tinker.warm_up || recipe.tinker.initial_state) return recipe;
  let state = await readWarmUp(file);
  if (state === undefined) {
    process.stderr.write(`warm-up: ${recipe.tinker.warm_up.steps} steps on examples of the environment\n`);
    const { statePath, losses } = await warmUp(options);
    process.stderr.write(`warm-up done: loss ${losses[0].toFixed(2)} to ${losses[1].toFixed(2)}\n`);
    state = statePath;
    await writeWarmUp(file, state);
  }
  return { ...recipe, tinker: { ...recipe.tinker, initial_state: state } };
}

function end(status: TrainerStatus | undefined, json: boolean, run: string): void {
  if (json) process.stdout.write(`${JSON.stringify(status ?? null)}\n`);
  else if (status !== undefined) {
    process.stdout.write(
      `${status.state} at step ${status.step}: ${status.detail}\n` +
        (status.state === 'finished' ? '' : `  go on: lachesis train --run ${run} with the same recipe\n`),
    );
  }
  if (status?.state !== 'finished') process.exitCode = 1;
}

function nameRun(environment: string, now: Date): string {
  const base = (environment.split(/[/\\]/).at(-1) ?? 'run')
    .replace(/\.[a-z]+(?:#.*)?$/, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${base === '' ? 'run' : base}-${stamp}`;
}
