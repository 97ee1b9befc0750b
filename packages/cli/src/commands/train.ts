import type { TrainerStatus } from '@lachesis/server';
import { startEngine } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { failWithEngineError, readHome, readMakeOptions } from './engine-options.ts';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { listenForEnd } from './listen-for-end.ts';
import { findEngineUrl } from './train-engine.ts';
import { readRecipe } from './train-recipe.ts';
import { listRunFiles, runRecipe } from './train-run.ts';
import { findNamedRecipe } from './up-recipe.ts';

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
    dpo: () => import('./train-dpo.ts').then((module) => module.trainDpoCommand),
    kto: () => import('./train-kto.ts').then((module) => module.trainKtoCommand),
    reward: () => import('./train-reward.ts').then((module) => module.trainRewardCommand),
    rlhf: () => import('./train-rlhf.ts').then((module) => module.trainRlhfCommand),
    sft: () => import('./train-sft.ts').then((module) => module.trainSftCommand),
  },
  async run({ args, rawArgs, cmd }) {
    // A command below this one has been run already.
    if (rawArgs[0] !== undefined && Object.hasOwn(cmd.subCommands ?? {}, rawArgs[0])) return;
    const home = readHome(args);
    const { recipe, environmentFile, environmentFlags, rest } = await readRecipe({
      config: args.config === undefined ? undefined : findNamedRecipe({ given: args.config, home }),
      rawArgs,
      environment: process.env,
    });
    refuseUnknownFlags(flags, rest);
    const { signal, hurry } = listenForEnd();

    const engineUrl =
      args['start-engine'] === true && recipe.tinker.base_url === undefined
        ? (await startEngine({ ...readMakeOptions({ home }) }).catch(failWithEngineError)).url
        : await findEngineUrl(recipe, { home, given: process.env['TINKER_BASE_URL'], environment: process.env });
    const environment = args.environment ?? recipe.environment;
    const run = args.run ?? nameRun(environment, new Date());
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(run)) {
      fail(`${JSON.stringify(run)} is no name of a run: letters, digits, dots, dashes and underscores, at most 100.`);
    }
    const files = listRunFiles({ home, run });
    process.stdout.write(
      `run ${run}: environment ${environment}, ${recipe.env.total_steps} steps, engine ${engineUrl ?? 'the managed service'}\n` +
        `  recipe: ${files.recipe}\n  metrics: ${files.metrics}\n`,
    );
    const status = await runRecipe({
      home,
      run,
      environment,
      recipe,
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
    }).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
    end(status, args.json === true, run);
  },
});

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
