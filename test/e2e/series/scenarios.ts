import { openStore, readMetricEnds, readMetricSeries, findRun } from '@lachesis/store';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createTensorboardSink } from '../../../packages/server/src/services/training/sinks/tensorboard/tensorboard-sink.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import { findSeriesPython, readEvents, type DrawnEvent } from '../../peers/series/read-events.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { readMetricsFile, toTable, type SeriesTable } from './collect-series.ts';
import { compareSeries } from './compare-series.ts';
import { RUN, trainLetters } from './train-letters.ts';

const STEPS = 3;
const STEPS_PER_EVALUATION = 2;
const EVALUATED = [0, 2, 3];
/** What each kind of series is seen by: the trainer's, the environment's, its signal, its own metric, and evaluations. */
const WANTED = [
  ...['train/loss', 'reward/mean', 'reward/p50', 'length/p95', 'ratio/p50', 'policy/entropy_estimate'],
  ...['replies/most_common_share', 'throughput/tokens_per_second', 'time/rollout_seconds', 'time/queue_seconds'],
  ...['time/train_seconds', 'time/publish_seconds', 'train/mean_reward', 'train/percent_correct'],
  ...['train/signal/has_vowel', 'train/letters', 'eval/mean_reward', 'eval/signal/has_vowel', 'eval/letters'],
];

/** `pnpm e2e series`: what one run on the real engine wrote, read back by four readers. */
export const scenarios: Scenario[] = [
  {
    name: 'everywhere',
    title: 'the store, metrics.jsonl, TensorBoard and W&B hold the same series, of environment and evaluation too',
    async run(context) {
      const python = findSeriesPython();
      if (python === undefined) {
        const why = 'LACHESIS_SERIES_PYTHON names no interpreter; run .ci/setup, then . .ci/env.sh';
        context.reportNotRun({ name: 'series', why, bar: 'the same in four places' });
        return;
      }
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const scratch = await context.scratch();
      const [home, folder] = [join(scratch, 'home'), join(scratch, 'typed-here')];
      await Promise.all([mkdir(home), mkdir(folder)]);
      const lines = await trainLetters({
        ...{ engineUrl: engine.url, python, home, folder, steps: STEPS, stepsPerEvaluation: STEPS_PER_EVALUATION },
        ...{ log: context.log, defer: context.defer },
      });
      const directory = join(home, 'runs', RUN);
      const [file, store, tensorboard, wandb] = await Promise.all([
        readMetricsFile(join(directory, 'metrics.jsonl')),
        readStore(home),
        readEvents(python, 'tensorboard', directory),
        readEvents(python, 'wandb', directory),
      ]);
      reportPlaces(context, file, { store, tensorboard, wandb });
      reportContents(context, file, lines);
      await reportFiles(context, { directory, folder });
      await reportFault(context, python, file, directory);
    },
  },
];

function reportPlaces(
  context: ScenarioContext,
  file: SeriesTable,
  places: { store: SeriesTable; tensorboard: readonly DrawnEvent[]; wandb: readonly DrawnEvent[] },
): void {
  const points = [...file.values()].reduce((sum, series) => sum + series.size, 0);
  const found = {
    'the store': compareSeries(file, places.store),
    // An event file holds single precision.
    TensorBoard: compareSeries(file, toTable(scalarsOf(places.tensorboard)), { toWanted: Math.fround }),
    'W&B': compareSeries(file, toTable(scalarsOf(places.wandb))),
  };
  for (const [place, differences] of Object.entries(found)) {
    for (const difference of differences.slice(0, 10)) context.log(`${place}: ${difference}`);
    context.report({
      name: `${place} against metrics.jsonl`,
      figure: `${differences.length} of ${points} points of ${file.size} series differ`,
      bar: '0, of ≥ 50 series',
      ok: differences.length === 0 && file.size >= 50,
    });
  }
  const [left, right] = [places.tensorboard, places.wandb].map(histogramsOf);
  const names = new Set([...left!.keys(), ...right!.keys()]);
  const same = [...names].filter((name) => left!.get(name) === right!.get(name));
  context.report({
    name: 'histograms of TensorBoard and W&B',
    figure: `${same.length} of ${names.size} are the same`,
    bar: `${3 * STEPS} of ${3 * STEPS}: reward, length and ratio at each step`,
    ok: same.length === 3 * STEPS && names.size === 3 * STEPS,
  });
}

function reportContents(context: ScenarioContext, file: SeriesTable, lines: readonly string[]): void {
  const missing = WANTED.filter((series) => !file.has(series));
  context.report({
    name: 'trainer, environment, own metrics, evaluation',
    figure: missing.length === 0 ? `all ${WANTED.length} are there` : `missing: ${missing.join(', ')}`,
    bar: `all ${WANTED.length}`,
    ok: missing.length === 0,
  });
  const told = lines.filter((line) => /^\s*eval at step/.test(line));
  const evaluated = [...(file.get('eval/mean_reward')?.keys() ?? [])].toSorted((a, b) => a - b);
  context.report({
    name: 'evaluations',
    figure: `at steps ${evaluated.join(', ')}; ${told.length} lines in the console`,
    bar: `${EVALUATED.join(', ')}; ${EVALUATED.length}`,
    ok: evaluated.join() === EVALUATED.join() && told.length === EVALUATED.length,
  });
  const [trained, rolledOut] = [file.get('reward/mean'), file.get('train/mean_reward')];
  const apart = Array.from({ length: STEPS }, (_, index) => index + 1).map((step) =>
    Math.abs((trained?.get(step) ?? Number.NaN) - (rolledOut?.get(step) ?? Number.NaN)),
  );
  context.report({
    name: 'steps of trainer and environment',
    figure: `rewards of the same step are ${Math.max(...apart).toExponential(1)} apart at most`,
    bar: '≤ 1e-9',
    ok: apart.every((difference) => difference <= 1e-9),
  });
  const strange = [...file.keys()].filter((series) => series.startsWith('rlhf/'));
  context.report({
    name: 'series of RLHF in a run that is none',
    figure: `${strange.length}`,
    bar: '0',
    ok: strange.length === 0,
  });
}

async function reportFiles(
  context: ScenarioContext,
  { directory, folder }: { directory: string; folder: string },
): Promise<void> {
  const own = await readdir(join(directory, 'environments', 'letters'), { recursive: true });
  const evaluations = EVALUATED.map((step) => `evals/step-${step}/metrics.json`);
  const typed = await readdir(folder);
  const isWhole = ['metrics.jsonl', 'serve_config.yaml', ...evaluations].every((name) => own.includes(name));
  context.report({
    name: 'files of the environment',
    figure: `with the run: ${isWhole}; where the command was typed: ${typed.join(', ')}`,
    bar: 'true; recipe.yaml',
    ok: isWhole && typed.join() === 'recipe.yaml',
  });
  const place = JSON.parse(await readFile(join(directory, 'wandb.json'), 'utf8')) as { project: string };
  context.report({ name: 'project at W&B', figure: place.project, bar: 'letters', ok: place.project === 'letters' });
}

/** The same run through a sink that loses evaluations: the comparison has to say so. */
async function reportFault(
  context: ScenarioContext,
  python: string,
  file: SeriesTable,
  directory: string,
): Promise<void> {
  const faulty = join(await context.scratch(), 'faulty');
  const sink = createTensorboardSink({ directory: faulty, startedAt: 0, suffix: 'faulty' });
  for (const line of (await readFile(join(directory, 'metrics.jsonl'), 'utf8')).split('\n')) {
    if (line === '') continue;
    const { step, time, environment: _environment, ...all } = JSON.parse(line) as Record<string, number>;
    const values = Object.fromEntries(
      Object.entries(all).filter(([series, value]) => value !== null && !series.startsWith('eval/')),
    );
    await sink.write({ step: step!, at: time! * 1000, values });
  }
  await sink.close();
  const events = await readEvents(python, 'tensorboard', faulty);
  const differences = compareSeries(file, toTable(scalarsOf(events)), { toWanted: Math.fround });
  const lost = differences.filter((difference) => difference.startsWith('eval/'));
  context.report({
    name: 'fault: a sink that drops evaluations',
    figure: `${differences.length} points differ, ${lost.length} of them of evaluations`,
    bar: 'caught: all of them, and no other',
    ok: lost.length > 0 && lost.length === differences.length,
  });
}

const scalarsOf = (events: readonly DrawnEvent[]) => events.flatMap((event) => ('value' in event ? [event] : []));

const histogramsOf = (events: readonly DrawnEvent[]): Map<string, string> =>
  new Map(
    events.flatMap((event) =>
      'value' in event
        ? []
        : [[`${event.series} ${event.step}`, JSON.stringify([event.counts.map(Number), event.edges])] as const],
    ),
  );

async function readStore(home: string): Promise<SeriesTable> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  try {
    const run = await findRun({ store, tenantId: 'local', name: RUN });
    if (run === undefined) throw new Error(`the store knows no run ${RUN}`);
    const scope = { store, tenantId: run.tenantId, runId: run.runId };
    const ends = await readMetricEnds(scope);
    const all = await Promise.all(
      ends.map(async ({ series }) =>
        (await readMetricSeries({ ...scope, series })).map(({ step, value }) => ({ series, step, value })),
      ),
    );
    return toTable(all.flat());
  } finally {
    await store.close();
  }
}
