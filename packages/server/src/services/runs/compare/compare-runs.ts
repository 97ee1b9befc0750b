import { mean, summariseDifferences, type RunComparison } from '@lachesis/protocol';
import { readMetricChart, type Store, type TrainingRun } from '@lachesis/store';
import { findLoopRun, readProgress } from '../describe-run.ts';
import { compareSettings } from './compare-settings.ts';
import { readEvaluatedItems } from './read-evaluations.ts';

type Series = RunComparison['series'][number];
type Points = Series['runs'][string];

export interface CompareRunsOptions {
  store: Store;
  home: string;
  /** The first is what the others are compared with. */
  runs: readonly TrainingRun[];
  /** Names; reward, evaluation and loss when left out. */
  series?: readonly string[] | undefined;
  /** Of each series, at most. */
  points?: number | undefined;
}

/** What somebody looks at first; with several environments these end the names. */
const FIRST_SHOWN = ['train/mean_reward', 'reward/mean', 'eval/mean_reward', 'eval/percent_correct', 'train/loss'];
const MOST_SHOWN = 12;
/** What is paired where no samples are, the first that both runs have. */
const PAIRED_SERIES = ['eval/mean_reward', 'eval/percent_correct'];
const DEFAULT_POINTS = 200;
/** Evaluations are few: none is thinned out. */
const ALL_POINTS = 5_000;

/** Settings, curves and evaluations of several runs beside each other. */
export async function compareRuns(options: CompareRunsOptions): Promise<RunComparison> {
  const { store, runs } = options;
  const { differences, groups } = compareSettings(runs);
  const known = await Promise.all(
    runs.map(async (run) => (await readProgress({ store, run })).ends.map(({ series }) => series)),
  );
  const all = [...new Set(known.flat())].toSorted();
  const isFirst = (name: string): boolean => FIRST_SHOWN.some((shown) => name === shown || name.endsWith(`/${shown}`));
  const names = options.series ?? all.filter(isFirst).slice(0, MOST_SHOWN);
  const curves = await Promise.all(
    runs.map((run) => readCurves({ ...options, run, names, points: options.points ?? DEFAULT_POINTS })),
  );
  return {
    runs: runs.map(({ shortId, environment, state, createdAt }, index) => ({
      ...{ run_id: shortId, environment, status: state, created_at: createdAt, group: groups[index] ?? 0 },
    })),
    settings: differences,
    series: names.map((name) => ({
      name,
      runs: Object.fromEntries(runs.map(({ shortId }, index) => [shortId, curves[index]?.get(name) ?? []])),
      bands: toBands(
        groups,
        curves.map((own) => own.get(name) ?? []),
      ),
    })),
    known_series: all,
    evaluations: await compareEvaluations(options),
  };
}

async function readCurves(options: {
  store: Store;
  run: TrainingRun;
  names: readonly string[];
  points: number;
}): Promise<Map<string, Points>> {
  const loop = await findLoopRun(options);
  const curves = new Map<string, Points>();
  if (loop === undefined || options.names.length === 0) return curves;
  const chart = await readMetricChart({
    ...{ store: options.store, tenantId: loop.tenantId, runId: loop.runId },
    ...{ series: options.names, points: options.points },
  });
  for (const { step, series } of chart) {
    for (const [name, { value }] of series) {
      if (value === null) continue;
      const points = curves.get(name) ?? [];
      points.push({ step, value });
      curves.set(name, points);
    }
  }
  return curves;
}

/** Where two runs or more of a group have a value, what they have together. */
function toBands(groups: readonly number[], curves: readonly Points[]): Series['bands'] {
  return [...new Set(groups)].flatMap((group) => {
    const members = curves.filter((_points, index) => groups[index] === group);
    if (members.length < 2) return [];
    const values = new Map<number, number[]>();
    for (const { step, value } of members.flat()) values.set(step, [...(values.get(step) ?? []), value]);
    const points = [...values]
      .filter(([, at]) => at.length > 1)
      .toSorted(([one], [other]) => one - other)
      .map(([step, at]) => ({
        ...{ step, mean: mean(at), low: Math.min(...at), high: Math.max(...at), runs: at.length },
      }));
    return [{ group, points }];
  });
}

/** The first run against each other: by item where both left samples, else by the steps at which both were evaluated. */
async function compareEvaluations(options: CompareRunsOptions): Promise<RunComparison['evaluations']> {
  const { store, home, runs } = options;
  const [first, ...others] = await Promise.all(
    runs.map(async (run) => ({
      run,
      items: await readEvaluatedItems(home, run.shortId),
      curves: await readCurves({ store, run, names: PAIRED_SERIES, points: ALL_POINTS }),
    })),
  );
  if (first === undefined) return [];
  return others.flatMap((other): RunComparison['evaluations'] => {
    const named = { left: first.run.shortId, right: other.run.shortId };
    if (first.items !== undefined && other.items !== undefined) {
      const left = first.items.scores;
      const differences = pair(left, other.items.scores);
      if (differences.length > 1) {
        const steps = { left_step: first.items.step, right_step: other.items.step };
        return [{ ...named, ...steps, paired_by: 'item', series: 'samples', ...summarise(differences) }];
      }
    }
    const series = PAIRED_SERIES.find((name) => first.curves.has(name) && other.curves.has(name));
    if (series === undefined) return [];
    const toMap = (points: Points | undefined) => new Map((points ?? []).map(({ step, value }) => [step, value]));
    const differences = pair(toMap(first.curves.get(series)), toMap(other.curves.get(series)));
    if (differences.length === 0) return [];
    const steps = { left_step: null, right_step: null };
    return [{ ...named, ...steps, paired_by: 'step', series, ...summarise(differences) }];
  });
}

function pair<Key>(left: ReadonlyMap<Key, number>, right: ReadonlyMap<Key, number>): number[] {
  return [...right].flatMap(([key, value]) => {
    const other = left.get(key);
    return other === undefined ? [] : [value - other];
  });
}

function summarise(
  differences: readonly number[],
): Pick<RunComparison['evaluations'][number], 'better' | 'difference' | 'interval' | 'items' | 'worse'> {
  const { items, difference, interval, rightBetter, leftBetter } = summariseDifferences(differences);
  const [low, high] = interval;
  return {
    ...{ items, difference, better: rightBetter, worse: leftBetter },
    interval: Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null,
  };
}
