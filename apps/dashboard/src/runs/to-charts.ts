import type { RunMetrics } from '@lachesis/protocol';
import type { ChartData, ChartMark } from '../parts/chart-data.ts';

/** What a page shows of a run when nobody chose, the first that are there. */
const PREFERRED = [
  'reward/mean',
  'eval/percent_correct',
  'train/loss',
  'train/mean_nll',
  'dpo/loss',
  'kto/loss',
  'reward_model/loss',
  'policy/entropy_estimate',
  'numerics/drift',
  'length/p50',
  'train/staleness_mean',
  'throughput/tokens_per_second',
  'train/dead_groups',
  'time/step',
];

/** No more are chosen for somebody: each chart costs a place on the page and a redraw. */
const MOST_CHOSEN = 6;

/** Series whose spread is told by two others. */
const SPREADS: Readonly<Record<string, readonly [low: string, high: string]>> = {
  'reward/mean': ['reward/p05', 'reward/p95'],
  'length/p50': ['length/p05', 'length/p95'],
  'ratio/p50': ['ratio/p05', 'ratio/p95'],
};

export const chooseSeries = (known: readonly string[]): string[] =>
  PREFERRED.filter((name) => known.includes(name)).slice(0, MOST_CHOSEN);

/** The names to ask for: those to draw, and those their spread is made of. */
export const listAsked = (chosen: readonly string[] | undefined): string[] => {
  const names = chosen ?? PREFERRED;
  return [...new Set(names.flatMap((name) => [name, ...(SPREADS[name] ?? [])]))];
};

export interface SeriesChart {
  name: string;
  data: ChartData;
  /** What the band is made of, in words; undefined where there is none. */
  band: string | undefined;
  /** Points stand for stretches of steps. */
  isThinned: boolean;
}

/** The steps that a point stands for, with both ends; undefined where it stands for itself. */
export function stretchOf({ isThinned, data: { steps } }: SeriesChart, step: number): [number, number] | undefined {
  const index = steps.indexOf(step);
  const from = index <= 0 ? 0 : steps[index - 1]! + 1;
  return isThinned && index >= 0 && from < step ? [from, step] : undefined;
}

type Row = Readonly<Record<string, unknown>> & { readonly step: number };

/** One series of the answer as a chart. Steps at which it has no value are left out. */
export function toChart(metrics: RunMetrics, name: string, marks: readonly ChartMark[]): SeriesChart {
  const rows = (metrics.history as readonly Row[]).filter((row) => typeof row[name] === 'number');
  const ranges = new Map((metrics.ranges as readonly Row[] | undefined)?.map((row) => [row.step, row[name]]));
  const spread = SPREADS[name];
  const hasRanges = [...ranges.values()].some(Array.isArray);
  const hasSpread = !hasRanges && spread !== undefined && rows.some((row) => typeof row[spread[0]] === 'number');
  const boundOf = (row: Row, side: 0 | 1): number | null => {
    const range = ranges.get(row.step);
    const value = hasRanges ? (Array.isArray(range) ? range[side] : row[name]) : hasSpread ? row[spread[side]] : null;
    return typeof value === 'number' ? value : null;
  };
  return {
    name,
    isThinned: hasRanges,
    band: hasRanges ? 'lowest to highest of each stretch' : hasSpread ? '5 % to 95 % of the rollouts' : undefined,
    data: {
      steps: rows.map(({ step }) => step),
      lines: [
        {
          name,
          values: rows.map((row) => row[name] as number),
          low: rows.map((row) => boundOf(row, 0)),
          high: rows.map((row) => boundOf(row, 1)),
        },
      ],
      marks,
    },
  };
}
