import { improvePlanSchema, isRecord, type ImprovePlan } from '@lachesis/protocol';
import { readYamlFile } from '@lachesis/sdk/config';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { loadRules } from '../feedback/rule.ts';
import { filterFlags, readFilter } from '../../flags/filter.ts';
import { readText } from '../../flags/read-value.ts';

const { model: _model, ...otherFilters } = filterFlags;

/** Where it is done: here, or by a server. */
export const placeFlags = {
  server: { type: 'string', description: 'control server that does it; without one this process does [LACHESIS_URL]' },
  token: { type: 'string', description: 'token for the server (default: that of the home) [LACHESIS_TOKEN]' },
  tenant: { type: 'string', description: 'whose model, in a local store (default: local)' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  json: { type: 'boolean', description: 'print JSON; progress goes to standard error' },
} as const;

export const planFlags = {
  model: { type: 'string', description: 'name in the registry that gets better' },
  method: {
    type: 'string',
    description: 'dpo (pairs), kto (single ratings) or sft (what was rated well) (default: dpo)',
  },
  'base-model': {
    type: 'string',
    description: 'model to begin with where nothing of that name is promoted (default: that of the engine)',
  },
  rules: { type: 'string', description: 'file of rules that rate, and that score the evaluation' },
  rubric: { type: 'string', description: 'file that tells a judge what a good answer is; with the two below' },
  'judge-model': { type: 'string', description: 'model that judges' },
  'judge-url': { type: 'string', description: 'its OpenAI-compatible server, with /v1' },
  'min-ratings': { type: 'string', description: 'fewest new ratings for an improvement (default: 20)' },
  'min-rows': { type: 'string', description: 'fewest rows to train on (default: 8)' },
  'min-items': { type: 'string', description: 'fewest held-out items to evaluate on (default: 8)' },
  'min-gain': {
    type: 'string',
    description: 'smallest mean gain that is promoted; its 95 % interval must be above 0 too (default: 0)',
  },
  'max-fall': {
    type: 'string',
    description: 'how much less likely preferred replies may become, in nats per token (default: 0.5)',
  },
  'good-rating': { type: 'string', description: 'sft: lowest rating to learn from, 0 to 1 (default: 0.75)' },
  'held-out': { type: 'string', description: 'share of the prompts that are never trained on (default: 0.2)' },
  seed: { type: 'string', description: 'seed of the split and of the evaluation (default: 0)' },
  replies: { type: 'string', description: 'replies to each held-out prompt (default: 1)' },
  'max-reply-tokens': { type: 'string', description: 'longest reply in the evaluation, in tokens (default: 256)' },
  temperature: { type: 'string', description: 'sampling temperature in the evaluation (default: 1)' },
  config: { type: 'string', description: 'YAML with settings of the training, such as learning_rate' },
  'of-model': {
    type: 'string',
    description: 'learn from replies that were recorded from this model (default: what --model itself served)',
  },
  'all-models': { type: 'boolean', description: 'learn from whatever model was recorded, other applications included' },
  again: { type: 'boolean', description: 'ratings that an improvement has used count once more' },
  ...otherFilters,
} as const;

const NUMBERS: Readonly<Record<string, keyof ImprovePlan>> = {
  'min-ratings': 'min_ratings',
  'min-rows': 'min_rows',
  'min-items': 'min_items',
  'min-gain': 'min_gain',
  'max-fall': 'max_fall',
  'good-rating': 'min_rating',
  'held-out': 'held_out_share',
  seed: 'seed',
  replies: 'replies',
  'max-reply-tokens': 'max_reply_tokens',
  temperature: 'temperature',
};

type Arguments = Readonly<Record<string, unknown>>;

/** What was asked for, checked; ends the command with the flag that is wrong. */
export async function readPlan(args: Arguments, now: number): Promise<ImprovePlan> {
  const model = readText(args, 'model') ?? fail('say which model gets better: --model name.');
  const ofModel = readText(args, 'of-model');
  if (ofModel !== undefined && args['all-models'] === true) fail('--of-model and --all-models: choose one of them.');
  const rules = readText(args, 'rules');
  const plan: Record<string, unknown> = {
    model,
    filter: { ...readFilter({ ...args, model: undefined }, now), ...(ofModel === undefined ? {} : { model: ofModel }) },
    all_models: args['all-models'] === true,
    again: args['again'] === true,
    rules: rules === undefined ? null : await loadRules(rules, '--rules'),
    judge: await readJudge(args),
    training: await readTraining(readText(args, 'config')),
  };
  if (plan['rules'] !== null && plan['judge'] !== null) fail('rules and a judge were given: choose one of them.');
  for (const [flag, field] of [
    ['method', 'method'],
    ['base-model', 'base_model'],
  ] as const) {
    const value = readText(args, flag);
    if (value !== undefined) plan[field] = value;
  }
  for (const [flag, field] of Object.entries(NUMBERS)) {
    const value = readText(args, flag);
    if (value === undefined) continue;
    if (value.trim() === '' || !Number.isFinite(Number(value))) {
      fail(`--${flag} wants a number, and ${JSON.stringify(value)} was given.`);
    }
    plan[field] = Number(value);
  }
  const parsed = improvePlanSchema.safeParse(plan);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0] ?? '');
  const flag = Object.entries(NUMBERS).find(([, name]) => name === field)?.[0] ?? field.replaceAll('_', '-');
  return fail(`--${flag}: ${issue?.message ?? 'not understood'}`);
}

async function readJudge(args: Arguments): Promise<ImprovePlan['judge']> {
  const [file, model, url] = ['rubric', 'judge-model', 'judge-url'].map((name) => readText(args, name));
  if (file === undefined && model === undefined && url === undefined) return null;
  if (file === undefined || model === undefined || url === undefined) {
    return fail('a judge needs all three: --rubric file, --judge-model name, --judge-url http://…/v1.');
  }
  const rubric = await readFile(file, 'utf8').catch((error: unknown) =>
    fail(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  );
  if (rubric.trim() === '') fail(`${file} is empty: say in it what a good answer is.`);
  return { base_url: url, model, rubric, rubric_name: basename(file) };
}

async function readTraining(path: string | undefined): Promise<unknown> {
  if (path === undefined) return {};
  const value = await readYamlFile(path).catch((error: unknown) =>
    fail(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  );
  if (isRecord(value)) return value;
  return fail(`${path} is not a mapping of settings, such as learning_rate: 1e-5.`);
}
