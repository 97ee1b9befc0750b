import { ConfigError, readYamlFile } from '@lachesis/sdk/config';
import { trainOnRecords, type RecordMethodName, type RecordTrainingProgress } from '@lachesis/server';
import { defineCommand, type CommandDef } from 'citty';
import { createLog } from '@lachesis/server/processes';
import { placeInFile } from '../../flags/place-in-file.ts';
import { fail, failUsage } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { readStorePlace } from '../../flags/library/open-local-store.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';

type RecordTrainingResult = Awaited<ReturnType<typeof trainOnRecords>>;

const flags = {
  dataset: { type: 'string', description: 'what to learn from: name@version, or the name for its newest version' },
  config: { type: 'string', description: 'YAML with settings of the training; flags go before it' },
  run: { type: 'string', description: 'name of the run; a name that was used before goes on with that run' },
  'base-model': { type: 'string', description: 'model to begin with (default: the one the engine has)' },
  parent: { type: 'string', description: 'what to go on from: name, name@version, run:step, or the path of a state' },
  'initial-state': {
    type: 'string',
    description: 'the same as parent, without its name: name@version, run:step, or tinker://…/weights/…',
  },
  'model-name': {
    type: 'string',
    description: 'name to register the result under (default: that of the parent, else of the run)',
  },
  tokenizer: { type: 'string', description: 'folder or name of the tokenizer (default: that of the base model)' },
  'learning-rate': {
    type: 'string',
    description: 'highest learning rate (default: 1e-4 for sft, 1e-5 for dpo and kto)',
  },
  'lr-schedule': { type: 'string', description: 'constant, linear or cosine' },
  'warmup-steps': { type: 'string', description: 'steps until the highest learning rate' },
  epochs: { type: 'string', description: 'how often each row is trained on' },
  'max-steps': { type: 'string', description: 'stop after so many steps' },
  'batch-size': { type: 'string', description: 'rows of a step' },
  'max-tokens': { type: 'string', description: 'longer rows are left out' },
  'lora-rank': { type: 'string', description: 'rank of the adapter' },
  beta: { type: 'string', description: 'how close to the reference dpo and kto stay (default: 0.1)' },
  'eval-dataset': { type: 'string', description: 'data set to measure with, a held-out one for example' },
  'eval-split': { type: 'string', description: 'split of the data set to evaluate on (default: eval)' },
  'eval-every': { type: 'string', description: 'steps between measurements (default: one before and one after)' },
  'save-every': { type: 'string', description: 'steps between saved states' },
  seed: { type: 'string', description: 'seed of the order of the rows and of the adapter' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  json: { type: 'boolean', description: 'print the result as JSON' },
} as const;

/** Flags that are no setting of the training. */
const OTHERS: ReadonlySet<string> = new Set(['dataset', 'config', 'run', 'home', 'database-url', 'json']);
const TEXTS: ReadonlySet<string> = new Set([
  ...['base-model', 'parent', 'initial-state', 'model-name', 'tokenizer', 'lr-schedule', 'eval-dataset', 'eval-split'],
]);

/** The command of a method that learns from a data set. */
function createRecordCommand(method: RecordMethodName, description: string): CommandDef<typeof flags> {
  return defineCommand({
    meta: { name: method, description },
    args: flags,
    async run({ args, rawArgs }) {
      refuseUnknownFlags(flags, rawArgs);
      const dataset = readDatasetName(args.dataset ?? failUsage('give what to learn from: --dataset name@version.'));
      const { home, databaseUrl } = readStorePlace(args);
      const run = args.run ?? `${method}-${dataset.name}-${dataset.version ?? 'newest'}`;
      const settings = { ...(await readConfig(args.config)), ...readSettingFlags(args) };
      const { signal } = listenForShutdown();
      const baseUrl = await findEngineUrl({ tinker: {} }, { home });
      const isJson = args.json === true;
      // The result is all that a machine reads.
      const out = isJson ? process.stderr : process.stdout;
      out.write(`run ${run}: ${method} on ${args.dataset}, engine ${baseUrl ?? 'the managed service'}\n`);
      const result = await trainOnRecords({
        method,
        dataset,
        run,
        settings,
        tinker: { baseUrl },
        home,
        databaseUrl,
        signal,
        log: createLog({ name: 'train', level: 'warn', isPlain: true }),
        onProgress: (progress) => void out.write(`${describeProgress(progress)}\n`),
      }).catch((error: unknown) => {
        const sentence = error instanceof Error ? error.message : String(error);
        return fail(placeInFile(sentence, /^The setting (\w+)/.exec(sentence)?.[1], args.config));
      });
      process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : describeResult(result));
      if (result.state !== 'finished') process.exitCode = 1;
      // Workers of the store and the tokenizer may hold the process for a moment; everything is written.
    },
  });
}

/** The methods that learn from a data set, each a command of its own. */
export const recordCommands = {
  dpo: createRecordCommand('dpo', 'Learn from pairs of a data set: the better reply more, the worse one less.'),
  kto: createRecordCommand('kto', 'Learn from single rated replies of a data set; a lone bad one counts too.'),
  reward: createRecordCommand('reward', 'Learn from pairs of a data set what a reply is worth: a reward model.'),
  sft: createRecordCommand('sft', 'Learn the replies of the conversations of a data set.'),
} as const satisfies Record<RecordMethodName, CommandDef<typeof flags>>;

function readDatasetName(ref: string): { name: string; version: number | undefined } {
  const [, name, version] = /^(.*)@(\d+)$/.exec(ref) ?? [undefined, ref, undefined];
  return { name: name ?? ref, version: version === undefined ? undefined : Number(version) };
}

async function readConfig(path: string | undefined): Promise<Record<string, unknown>> {
  if (path === undefined) return {};
  const file = await readYamlFile(path).catch((error: unknown) => {
    if (ConfigError.isInstance(error)) return fail(error.message);
    throw error;
  });
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    return fail(`${path} is not a mapping of settings, such as learning_rate: 1e-5.`);
  }
  return file as Record<string, unknown>;
}

function readSettingFlags(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of Object.keys(flags)) {
    const value = args[name];
    if (OTHERS.has(name) || typeof value !== 'string') continue;
    if (!TEXTS.has(name) && (value === '' || !Number.isFinite(Number(value)))) {
      fail(`--${name} wants a number, and ${JSON.stringify(value)} was given.`);
    }
    settings[name.replaceAll('-', '_')] = TEXTS.has(name) ? value : Number(value);
  }
  return settings;
}

const SHOWN = /^(?:train\/mean_nll|eval\/|dpo\/|kto\/loss|rewards\/|reward_model\/)/;

function describeProgress({ detail, metrics }: RecordTrainingProgress): string {
  const numbers = Object.entries(metrics ?? {})
    .filter(([name]) => SHOWN.test(name))
    .map(([name, value]) => `${name} ${value.toPrecision(4)}`);
  return numbers.length === 0 ? detail : `${detail}: ${numbers.join(', ')}`;
}

function describeResult(result: RecordTrainingResult): string {
  const { state, steps, totalSteps, model, modelVersionId, weightsPath, statePath, skipped, run } = result;
  const left = Object.entries(skipped).map(([reason, count]) => `  left out ${count} rows: ${reason}\n`);
  if (state === 'stopped') {
    return `stopped after step ${steps} of ${totalSteps}; the same command goes on with the run ${run}\n${left.join('')}`;
  }
  return (
    `finished ${steps} steps: ${model} (${modelVersionId})\n  weights: ${weightsPath}\n  state: ${statePath}\n${left.join('')}` +
    `  next: lachesis models promote ${model}\n  train on: lachesis train --from ${model}, or --parent ${model}\n`
  );
}
