import type { RunComparison } from '@lachesis/protocol';
import type { SeriesPoint } from '../terminal/render-chart.ts';

/** What is drawn as one: a run, or the mean of runs that differ by their seed alone. */
export interface ComparisonCurve {
  name: string;
  points: SeriesPoint[];
  band?: { step: number; low: number; high: number }[];
}

/** The curves of one series: a band for each group of seeds, a line for each other run. */
export function toCurves({ runs }: RunComparison, series: RunComparison['series'][number]): ComparisonCurve[] {
  const groups = [...new Set(runs.map(({ group }) => group))];
  return groups.map((group) => {
    const members = runs.filter((run) => run.group === group).map(({ run_id: id }) => id);
    const band = series.bands.find((each) => each.group === group);
    if (band === undefined) return { name: members.join(', '), points: series.runs[members[0] ?? ''] ?? [] };
    return {
      name: `${members.join(', ')} (${members.length} seeds, mean and range)`,
      points: band.points.map(({ step, mean }) => ({ step, value: mean })),
      band: band.points.map(({ step, low, high }) => ({ step, low, high })),
    };
  });
}

/** A paired difference as a sentence. */
export function describeEvaluation(evaluation: RunComparison['evaluations'][number]): string {
  const { left, right, items, difference, interval, better, worse, paired_by: by } = evaluation;
  const pairs =
    by === 'item'
      ? `${items} items, the evaluations at step ${evaluation.left_step} and ${evaluation.right_step}`
      : `${items} steps of ${evaluation.series}, since there are no samples of both by item`;
  const reach = interval === null ? 'no interval' : `95 % ${signed(interval[0])} to ${signed(interval[1])}`;
  return `${right} − ${left}: ${signed(difference)}, ${reach} (paired by ${by}: ${pairs}; better ${better}, worse ${worse})`;
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;

/** A value of a setting in a table. */
export const writeSetting = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
