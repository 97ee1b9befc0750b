import type { Paint } from './paint.ts';
import { formatNumber } from './format-number.ts';
import { frameChart, type RenderChartOptions, type SeriesPoint } from './render-chart.ts';

/** One curve of several in a chart, told apart by its mark and its colour. */
export interface OverlaidCurve {
  name: string;
  mark: string;
  colour: keyof Paint;
  points: readonly SeriesPoint[];
  /** How far those it stands for are apart, at each of its points. */
  band?: readonly { step: number; low: number; high: number }[] | undefined;
}

/** Marks that are told apart without colours too. */
export const CURVE_MARKS = Object.freeze(['●', '○', '■', '□', '▲', '△', '◆', '◇'] as const);
export const CURVE_COLOURS = Object.freeze(['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'] as const);

const SHADE = '░';
/** Where curves meet. */
const SEVERAL = '✱';

/** Several curves over the same steps and between the same values. */
export function renderOverlay(
  name: string,
  curves: readonly OverlaidCurve[],
  { paint, columns, height = 10 }: RenderChartOptions,
): string[] {
  const points = curves.flatMap(({ points: own }) => own);
  const edges = curves.flatMap(({ band = [] }) => band.flatMap(({ low, high }) => [low, high]));
  const values = [...points.map(({ value }) => value), ...edges];
  if (points.length === 0) return [`${paint.bold(name)}  ${paint.dim('no value yet')}`];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const steps = points.map(({ step }) => step);
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  const frame = frameChart({ low, high, height, columns });
  const width = Math.min(frame.width, to - from + 1);
  const columnOf = (step: number): number =>
    to === from ? 0 : Math.round(((step - from) / (to - from)) * (width - 1));
  const rowOf = (value: number): number =>
    high === low ? Math.floor(height / 2) : Math.round((1 - (value - low) / (high - low)) * (height - 1));
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  const owners = new Map<string, string>();
  const put = (row: number, column: number, sign: string): void => {
    const line = cells[row];
    if (line !== undefined) line[column] = sign;
  };
  for (const { band = [] } of curves) {
    for (const { step, low: bottom, high: top } of band) {
      for (let row = rowOf(top); row <= rowOf(bottom); row += 1) put(row, columnOf(step), paint.dim(SHADE));
    }
  }
  for (const { name: owner, mark, colour, points: own } of curves) {
    for (const { step, value } of own) {
      const [row, column] = [rowOf(value), columnOf(step)];
      const place = `${row} ${column}`;
      const isTaken = owners.has(place) && owners.get(place) !== owner;
      owners.set(place, owner);
      put(row, column, isTaken ? paint.bold(SEVERAL) : paint[colour](mark));
    }
  }
  return [
    paint.bold(name),
    ...frame.around({
      lines: cells.map((row) => row.join('').trimEnd()),
      ...{ width, paint, steps: from === to ? `step ${from}` : `steps ${from} to ${to}` },
    }),
    ...curves.flatMap(({ name: owner, mark, colour, points: own }) => {
      const last = own.at(-1);
      return last === undefined ? [] : [`  ${paint[colour](mark)} ${owner}  last ${formatNumber(last.value)}`];
    }),
  ];
}
