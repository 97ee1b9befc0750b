import { rolloutSchemas } from '@lachesis/protocol';
import { findNewestIncarnation, listSteps, openHome } from '@lachesis/store';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { chooseSlice } from '../../kit/choose-slice.ts';
import { startProcess } from '../../kit/start-process.ts';
import { useRealTransformers } from '../../peers/atropos/real-transformers.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const LETTERS = fileURLToPath(new URL('../series/letters.ts', import.meta.url));
const CONSONANTS = fileURLToPath(new URL('consonants.ts', import.meta.url));
const PEERS = fileURLToPath(new URL('../../peers/atropos', import.meta.url));
const PYTHON = join(PEERS, 'vowels_env.py');
const RUN = 'several';
const STEPS = 10;
/** Groups of 8 in batches of 32: three of the first and one of the second. */
const [GROUP_SIZE, BATCH_SIZE] = [8, 32];
const WEIGHTS = [3, 1] as const;
const NEAR = 0.05;
const MOST_MS = 240_000;
/** A commit has time for one of these, by its hash. */
export const CHOICES = ['environments', 'another way'] as const;

interface Pair {
  readonly label: string;
  readonly files: readonly [string, string];
  /** As groups name it; those of Python name none. */
  readonly second: string | null;
}

/** Two environments of one run, weights 3 : 1, on the real engine. The long form mixes one of Python. */
export const severalEnvironments: Scenario = {
  name: 'environments',
  title: 'one run trains on two environments of weights 3 and 1 in that proportion, with one series each',
  async run(context) {
    if (!context.full && chooseSlice(CHOICES, 1)[0] !== 'environments') {
      context.reportNotRun({
        name: 'environments',
        why: 'run for another commit, and by --full',
        bar: '3 : 1 within 5 %',
      });
      return;
    }
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    await showPair(context, engine, { label: 'environments', files: [LETTERS, CONSONANTS], second: 'consonants' });
    const python = 'environments with Python';
    if (context.full) await showPair(context, engine, { label: python, files: [LETTERS, PYTHON], second: null });
    else context.reportNotRun({ name: python, why: 'it starts a Python environment: --full', bar: '3 : 1 within 5 %' });
  },
};

async function showPair(
  context: ScenarioContext,
  engine: { readonly url: string; readonly modelDirectory: string },
  { label, files, second }: Pair,
): Promise<void> {
  const home = await context.scratch();
  await train(context, { engine, home, files });
  const groups = await readTrained(home);
  const [ours, theirs] = ['letters', second].map((name) => groups.filter((group) => group === name).length);
  const share = (ours ?? 0) / groups.length;
  const wanted = WEIGHTS[0] / (WEIGHTS[0] + WEIGHTS[1]);
  context.report({
    name: `${label}, trained groups`,
    figure: `${ours} : ${theirs} of ${groups.length}, ${(share * 100).toFixed(1)} % of the first`,
    bar: `${wanted * 100} % ± ${NEAR * 100} %, none of others, ${(STEPS * BATCH_SIZE) / GROUP_SIZE} groups`,
    ok:
      Math.abs(share - wanted) <= NEAR &&
      (ours ?? 0) + (theirs ?? 0) === groups.length &&
      groups.length === (STEPS * BATCH_SIZE) / GROUP_SIZE,
  });
  const series = await readSeries(home);
  const names = second === null ? ['letters'] : ['letters', second];
  const bare = series.filter((name) => name === 'train/mean_reward' || name.startsWith('eval/'));
  const found = names.filter((name) => series.includes(`${name}/train/mean_reward`));
  context.report({
    name: `${label}, series`,
    figure: `${found.map((name) => `${name}/train/mean_reward`).join(', ')}; ${bare.length} without a name`,
    bar: `one of each that tells it, 0`,
    ok: found.length === names.length && bare.length === 0,
  });
}

async function train(
  context: ScenarioContext,
  options: {
    readonly engine: { readonly url: string; readonly modelDirectory: string };
    readonly home: string;
    readonly files: readonly string[];
  },
): Promise<void> {
  const { engine, home, files } = options;
  const recipe = join(home, 'recipe.yaml');
  await writeFile(recipe, writeRecipe(files, engine.modelDirectory));
  const isPython = files.includes(PYTHON);
  const transformers = isPython ? useRealTransformers() : {};
  const training = await startProcess({
    name: 'lachesis train',
    command: process.execPath,
    args: ['--conditions=lachesis-source', CLI, 'train', '--config', recipe, '--run', RUN, '--any-port'],
    cwd: home,
    env: {
      ...{ LACHESIS_HOME: home, DATABASE_URL: undefined, TINKER_BASE_URL: engine.url, ...transformers },
      ...(isPython ? { PYTHONPATH: `${transformers['PYTHONPATH']}:${PEERS}` } : {}),
    },
    onLine: context.log,
  });
  const end = async (): Promise<void> => void (await training.stop({ graceMs: 30_000 }));
  context.defer(end);
  const timer = setTimeout(() => void end(), MOST_MS);
  const { code, signal } = await training.exited;
  clearTimeout(timer);
  if (code === 0) return;
  const said = await readFile(join(home, `logs/rl_training/env_${RUN}.log`), 'utf8').catch(String);
  throw new Error(`lachesis train ended with ${signal ?? `code ${code}`}:\n${training.logs()}\n${said.slice(-2_000)}`);
}

function writeRecipe(files: readonly string[], model: string): string {
  return JSON.stringify({
    environments: files.map((name, index) => ({ name, weight: WEIGHTS[index] ?? 1 })),
    env: {
      ...{ group_size: GROUP_SIZE, batch_size: BATCH_SIZE, max_token_length: 64, max_num_workers: 4 },
      ...{ max_batches_offpolicy: 1, total_steps: STEPS, steps_per_eval: 0, use_wandb: false, tokenizer_name: model },
    },
    openai: [{ model_name: model, base_url: 'http://localhost:8001/v1', api_key: 'x', server_type: 'sglang' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 1e-4, max_token_trainer_length: 128, mode: 'sync' },
      allow_flat_reward: true,
    },
  });
}

/** The environment of each group that was trained on, as the trainer reported its steps. */
async function readTrained(home: string): Promise<(string | null)[]> {
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const tenantId = 'local';
  const loop = await findNewestIncarnation({ store, tenantId, name: RUN });
  if (loop === undefined) throw new Error('the loop of the run is not in the store');
  const steps = await listSteps({ store, tenantId, ...loop, limit: 1_000 });
  const reports = await Promise.all(
    steps.map(async ({ rollouts }) => {
      const bytes = await blobs.get(rollouts?.reportDigest ?? '');
      return rolloutSchemas.report.parse(JSON.parse(gunzipSync(bytes).toString('utf8')));
    }),
  );
  return reports.flatMap(({ groups }) => groups.map(({ environment }) => environment));
}

async function readSeries(home: string): Promise<string[]> {
  const lines = (await readFile(join(home, 'runs', RUN, 'metrics.jsonl'), 'utf8')).trim().split('\n');
  return [...new Set(lines.flatMap((line) => Object.keys(JSON.parse(line) as object)))];
}
