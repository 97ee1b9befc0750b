import { mean } from '@lachesis/protocol';
import { keepBetterHalf, type SweepPlan } from './plan-sweep.ts';
import type { SweepLine } from './sweep-files.ts';

/** One run of the table, as far as it came. */
export interface SweepCell {
  readonly seed: number;
  /** Undefined before it was begun. */
  readonly run: string | undefined;
  readonly state: 'ended' | 'failed' | 'not begun' | 'under way';
  readonly steps: number;
  readonly value: number | undefined;
}

export interface SweepRow {
  readonly point: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly cells: readonly SweepCell[];
  /** Steps of the last rung that all of its runs ended. */
  readonly steps: number;
  /** Of those that have a value there. */
  readonly mean: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Whether halving let it go. */
  readonly isDropped: boolean;
}

/** Which points still run at each rung, and what every run came to: from the plan and the lines alone. */
export function summariseSweep(
  plan: SweepPlan,
  lines: readonly SweepLine[],
): { rows: SweepRow[]; survivors: readonly number[][]; isOver: boolean } {
  // What a run was judged by stays, also where it was gone through again.
  const endOf = (point: number, seed: number, steps: number): SweepLine | undefined =>
    lines.find(
      (line) => line.point === point && line.seed === seed && line.steps === steps && line.state !== 'started',
    );
  const survivors: number[][] = [plan.points.map((_, point) => point)];
  for (const [rung, steps] of plan.rungs.slice(0, -1).entries()) {
    const running = survivors[rung] ?? [];
    const isDone = running.every((point) => plan.seeds.every((seed) => endOf(point, seed, steps) !== undefined));
    if (!isDone) break;
    const scores = new Map(
      running.map((point) => [point, meanOf(plan.seeds.flatMap((seed) => endOf(point, seed, steps)?.value ?? []))]),
    );
    survivors.push(keepBetterHalf(scores));
  }
  const rows = plan.points.map(({ settings }, point): SweepRow => {
    const last = survivors.findLastIndex((running) => running.includes(point));
    const steps =
      plan.rungs
        .slice(0, last + 1)
        .findLast((at) => plan.seeds.every((seed) => endOf(point, seed, at) !== undefined)) ?? 0;
    const cells = plan.seeds.map((seed) => describeCell(lines, { point, seed }));
    const values = plan.seeds.flatMap((seed) => endOf(point, seed, steps)?.value ?? []);
    return {
      ...{ point, settings, cells, steps, mean: meanOf(values) },
      low: values.length === 0 ? undefined : Math.min(...values),
      high: values.length === 0 ? undefined : Math.max(...values),
      isDropped: last < survivors.length - 1,
    };
  });
  const final = plan.rungs.at(-1) ?? 0;
  const isOver =
    survivors.length === plan.rungs.length &&
    (survivors.at(-1) ?? []).every((point) => plan.seeds.every((seed) => endOf(point, seed, final) !== undefined));
  return { rows, survivors, isOver };
}

function describeCell(lines: readonly SweepLine[], { point, seed }: { point: number; seed: number }): SweepCell {
  const last = lines.findLast((line) => line.point === point && line.seed === seed);
  if (last === undefined) return { seed, run: undefined, state: 'not begun', steps: 0, value: undefined };
  const { run, steps, state, value } = last;
  return { seed, run, steps, value, state: state === 'started' ? 'under way' : state };
}

const meanOf = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : mean(values));

/** The table: best first, those that halving let go of behind. Names of runs are in no cell that two sweeps would share. */
export function printSweep(plan: SweepPlan, lines: readonly SweepLine[]): string {
  const { rows, isOver } = summariseSweep(plan, lines);
  const names = Object.keys(plan.points[0]?.settings ?? {});
  const ranked = rows.toSorted(
    (left, right) =>
      right.steps - left.steps ||
      (right.mean ?? Number.NEGATIVE_INFINITY) - (left.mean ?? Number.NEGATIVE_INFINITY) ||
      left.point - right.point,
  );
  const table = [
    [...names, 'steps', plan.metric, 'lowest', 'highest', ...plan.seeds.map((seed) => `seed ${seed}`), ''],
    ...ranked.map((row) => [
      ...names.map((name) => row.settings[name] ?? ''),
      String(row.steps),
      format(row.mean),
      format(row.low),
      format(row.high),
      ...row.cells.map(({ state, value }) => (state === 'ended' ? format(value) : state)),
      row.isDropped ? 'let go of' : '',
    ]),
  ];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const text = table
    .map((row) =>
      row
        .map((cell, column) =>
          column < names.length ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
  return `${text}\n${isOver ? '' : 'not over yet\n'}`;
}

const format = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(4));

/** For programs. */
export const sweepToJson = (plan: SweepPlan, lines: readonly SweepLine[]): object => {
  const { rows, isOver } = summariseSweep(plan, lines);
  return {
    ...{ sweep: plan.sweep, created_at: plan.created_at, metric: plan.metric, rungs: plan.rungs, is_over: isOver },
    points: rows.map(({ settings, steps, mean: value, low, high, isDropped, cells }) => ({
      ...{ settings, steps, mean: value ?? null, low: low ?? null, high: high ?? null, is_dropped: isDropped },
      runs: cells.map((cell) => ({ ...cell, run: cell.run ?? null, value: cell.value ?? null })),
    })),
  };
};
