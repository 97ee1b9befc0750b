import { existsSync } from 'node:fs';
import { describeNames, isName } from '@lachesis/protocol/names';
import type { TrainerStatus } from '@lachesis/server';
import { startEngine } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { asksForSweep } from '../sweeps/read-sweep-flags.ts';
import { exitWithParent } from '../../terminal/exit-with-parent.ts';
import { fail } from '../../terminal/fail.ts';
import { failWithEngineError, readHome, readMakeOptions } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { checkBeginning, withBeginning } from './beginning.ts';
import { describeLearning } from './learned.ts';
import { mixEnvironmentFiles, type MixedEnvironment } from './mix.ts';
import { checkBeforeTraining, checkCode } from './preflight.ts';
import { readRecipe } from '../../flags/read-recipe.ts';
import { describeRunError } from './run-error.ts';
import { listRunFiles, runRecipe } from './run.ts';
import { findNamedRecipe } from './recipe-file.ts';

const flags = {
  config: { type: 'string', description: 'recipe: a name, or YAML with the sections env, openai and tinker' },
  environment: {
    type: 'string',
    description: 'environment to run, a name or a file; the one of the recipe, else gsm8k',
  },
  run: { type: 'string', description: 'name of the run; a name that was used before goes on with that run' },
  from: {
    type: 'string',
    description: 'begin with these weights: run:step, run:best, name@version, or the tinker:// path of a state',
  },
  'with-optimizer': { type: 'boolean', description: 'with --from: go on with its optimiser too' },
  'model-name': { type: 'string', description: 'name to register checkpoints under (default: that of the run)' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'any-port': { type: 'boolean', description: 'listen on free ports instead of those of the recipe' },
  'start-engine': { type: 'boolean', description: 'start the local engine first, if none runs' },
  json: { type: 'boolean', description: 'print the last status as JSON' },
  seeds: { type: 'string', description: 'a sweep: train with so many seeds, or with these (1,5,9)' },
  grid: { type: 'string', description: 'a sweep over values, such as tinker.learning_rate=1e-4,3e-4; may be repeated' },
  metric: { type: 'string', description: 'series that a sweep is judged by (default: eval/mean_reward)' },
  halving: { type: 'boolean', description: 'of a sweep: train all for few steps, the better half for twice as many' },
  parallel: { type: 'string', description: 'runs of a sweep that are under way at once (default: 2)' },
  sweep: { type: 'string', description: 'name of the sweep; a name that was used before goes on with that sweep' },
  'resume-runs': {
    type: 'boolean',
    description: 'let interrupted runs of a sweep go on from their checkpoint instead of making them anew',
  },
  html: { type: 'string', description: 'write the curves of a sweep to this file: one page that needs no other' },
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
    // A sweep starts its runs over a channel; with it they end.
    exitWithParent({ end: () => void process.kill(process.pid, 'SIGTERM') });
    if (asksForSweep(rawArgs)) {
      const { trainSweep } = await import('./sweep.ts');
      await trainSweep({ home, args, rawArgs, startsEngine: args['start-engine'] === true });
      return;
    }
    const {
      recipe: asWritten,
      environmentFile,
      environmentFlags,
      rest,
    } = await readRecipe({
      config: args.config === undefined ? undefined : findNamedRecipe({ given: args.config, home }),
      rawArgs,
      env: process.env,
    });
    refuseUnknownFlags(flags, rest);
    const recipe = withBeginning(asWritten, args);
    refuseMissingFile(args.environment);
    await checkCode(recipe);
    const { signal, hurry } = listenForShutdown();

    const engineUrl =
      args['start-engine'] === true && recipe.tinker.base_url === undefined
        ? (await startEngine({ ...readMakeOptions({ home }) }).catch(failWithEngineError)).url
        : await findEngineUrl(recipe, { home });
    const environment = args.environment ?? recipe.environments?.[0]?.name ?? recipe.environment;
    const run = args.run ?? nameRun(environment, new Date());
    if (!isName('run', run)) fail(`${JSON.stringify(run)} is not a valid name for a run: ${describeNames('run')}.`);
    await checkBeginning({ home, recipe });
    const listed = args.environment === undefined ? mixEnvironmentFiles(recipe, environmentFile, run) : [];
    const environments = listed.length > 0 ? listed : [{ name: environment, weight: 1, environmentFile }];
    await checkBeforeTraining({ home, environments, environmentFlags, recipe, engineUrl });
    const files = listRunFiles({ home, run });
    process.stdout.write(
      `run ${run}: ${describeEnvironments(environments)}, ${recipe.env.total_steps} steps, engine ${engineUrl ?? 'the managed service'}\n` +
        `  recipe: ${files.recipe}\n  metrics: ${files.metrics}\n`,
    );
    const status = await runRecipe({
      home,
      run,
      kind: 'rl',
      environment,
      environments,
      recipe,
      recipeName: args.config,
      environmentFile: environments[0]?.environmentFile ?? environmentFile,
      environmentFlags,
      engineUrl,
      anyPort: args['any-port'] === true,
      isChecked: true,
      signal,
      hurry,
      onEvent: (sentence) => void process.stderr.write(`${sentence}\n`),
      onLine: (line) => {
        if (/^(eval|step|training) /.test(line)) process.stdout.write(`${line}\n`);
      },
    }).catch((error: unknown) => fail(describeRunError(error)));
    if (args.json !== true) {
      const known = { run, environment, configPath: files.recipe, templateProblem: null };
      process.stderr.write(await describeLearning(files.metrics, { ...known, env: recipe.env, tinker: recipe.tinker }));
    }
    end(status, args.json === true, run);
  },
});

/** Said before an engine is looked for: a path that was mistyped needs none. */
function refuseMissingFile(environment: string | undefined): void {
  const file = environment?.split('#', 1)[0] ?? '';
  if (!/\.(?:[cm]?[jt]s|py)$/.test(file) || existsSync(file)) return;
  fail(`there is no file ${file}. Check the path after --environment; \`lachesis env list\` shows those with a name.`);
}

function end(status: TrainerStatus | undefined, json: boolean, run: string): void {
  if (json) process.stdout.write(`${JSON.stringify(status ?? null)}\n`);
  else if (status !== undefined) {
    process.stdout.write(
      `${status.state} at step ${status.step}: ${status.detail}\n` +
        (status.state === 'finished' ? '' : `  go on: lachesis runs resume ${run}\n`),
    );
  }
  if (status?.state !== 'finished') process.exitCode = 1;
}

const describeEnvironments = (environments: readonly MixedEnvironment[]): string =>
  environments.length === 1
    ? `environment ${environments[0]?.name}`
    : `environments ${environments.map(({ name, weight }) => `${name} ${weight}`).join(' : ')}`;

function nameRun(environment: string, now: Date): string {
  const base = (environment.split(/[/\\]/).at(-1) ?? 'run')
    .replace(/\.[a-z]+(?:#.*)?$/, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${base === '' ? 'run' : base}-${stamp}`;
}
