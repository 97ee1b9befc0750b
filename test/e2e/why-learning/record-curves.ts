import { readYamlFile } from '@lachesis/sdk/config';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { TRAIN_PROMPTS } from '../../../packages/environments/src/digits/prompts.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';
import { warmUp } from '../grpo-tiny/warm-up.ts';
import { SEEDS, type Seed } from './seeds.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Recorded once, on another day. */
export const CURVES = at('curves/');
/** Of this day: whoever wants to keep them copies them over the others. */
const outputs = at('../../../.ci/logs/why-learning/curves/');
const RECIPE = at('../../../packages/cli/recipes/cpu_tiny.yaml');
const FILES: Readonly<Record<Seed['environment'], string>> = {
  digits: at('../../../packages/environments/src/digits/digits.ts'),
  look: at('../agent-grpo/look.ts'),
  seeded: fileURLToPath(new URL('environments/seeded.ts', import.meta.url)),
};
const PATIENCE_MS = 400_000;

/** A run as it is kept: what a judge reads of it, and nothing else. */
export interface RecordedRun {
  readonly name: string;
  readonly environment: string;
  /** As the row of a run has it. */
  readonly recipe: { readonly env: Record<string, unknown>; readonly tinker: Record<string, unknown> };
  /** Points of each series in the order of their steps. */
  readonly series: Readonly<Record<string, readonly (readonly [step: number, value: number])[]>>;
}

/** Makes every run of the list with the real engine, and says in which folder its curves are. */
export async function recordCurves(context: ScenarioContext): Promise<string> {
  const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
  context.defer(() => engine.stop());
  const shared = { engineUrl: engine.url, modelDirectory: engine.modelDirectory, seed: 1 };
  const one = Array.from({ length: 40 * 16 }, (_, index) => [
    { role: 'user' as const, content: TRAIN_PROMPTS[index % TRAIN_PROMPTS.length] ?? '' },
    { role: 'assistant' as const, content: '12345671' },
  ]);
  const states: Partial<Record<Seed['start'], string>> = {};
  const home = join(await context.scratch(), 'home');
  await mkdir(home);
  for (const seed of SEEDS) {
    if (seed.start !== 'none' && states[seed.start] === undefined) {
      const conversations = seed.start === 'one-reply' ? { conversations: one } : {};
      states[seed.start] = (await warmUp({ ...shared, ...conversations })).statePath;
    }
    await recordRun(context, { seed, home, engineUrl: engine.url, state: states[seed.start] });
  }
  return outputs;
}

async function recordRun(
  context: ScenarioContext,
  options: { seed: Seed; home: string; engineUrl: string; state: string | undefined },
): Promise<void> {
  const { seed, home, engineUrl, state } = options;
  const flags = (section: string, values: Readonly<Record<string, number | string>> = {}): string[] =>
    Object.entries(values).flatMap(([name, value]) => [`--${section}.${name}`, String(value)]);
  const shared = new Set(['group_size', 'batch_size', 'max_batches_offpolicy', 'steps_per_eval']);
  const pick = (isShared: boolean) =>
    Object.fromEntries(Object.entries(seed.env ?? {}).filter(([name]) => shared.has(name) === isShared));
  context.log(`--- ${seed.name}`);
  await runGrpo({
    ...{ engineUrl, home, run: seed.name, title: seed.name },
    environment: FILES[seed.environment],
    sharedFlags: ['--env.total_steps', String(seed.steps), ...flags('env', pick(true))],
    trainerFlags: [...(state === undefined ? [] : ['--tinker.initial_state', state]), ...flags('tinker', seed.tinker)],
    environmentFlags: flags('env', pick(false)),
    probe: { prompt: 'Write digits.', samples: 2, maxTokens: 8 },
    ...{ output: join(await context.scratch(), seed.name), timeoutMs: PATIENCE_MS, log: context.log },
    defer: context.defer,
  });
  const { env, tinker } = (await readYamlFile(RECIPE)) as RecordedRun['recipe'];
  const recorded: RecordedRun = {
    ...{ name: seed.name, environment: seed.environment },
    recipe: {
      env: { ...env, ...seed.env, total_steps: seed.steps },
      tinker: { ...tinker, warm_up: null, initial_state: state ?? null, ...seed.tinker },
    },
    series: readSeries(home, seed.name),
  };
  await mkdir(outputs, { recursive: true });
  await writeFile(join(outputs, `${seed.name}.json`), `${JSON.stringify(recorded)}\n`);
}

function readSeries(home: string, run: string): RecordedRun['series'] {
  using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
  const rows = database
    .prepare(
      'SELECT series, step, value FROM metric_points WHERE run_id = (SELECT run_id FROM runs WHERE name = ?) ORDER BY series, step, at',
    )
    .all(run) as unknown as { series: string; step: number; value: number | null }[];
  const series: Record<string, [number, number][]> = {};
  for (const { series: name, step, value } of rows) {
    if (value !== null && !name.startsWith('time/')) (series[name] ??= []).push([step, Number(value.toPrecision(6))]);
  }
  return series;
}
