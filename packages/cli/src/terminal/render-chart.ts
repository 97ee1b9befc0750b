import type { Paint } from './paint.ts';
import { formatNumber } from './format-number.ts';
import { toColumns } from './render-sparkline.ts';

export interface SeriesPoint {
  step: number;
  value: number;
}

export interface RenderChartOptions {
  paint: Paint;
  columns: number;
  /** Lines between the axes. */
  height?: number;
}

const SHORTEST_PLOT = 10;

/** One series as a line over its steps, with both axes labelled. */
export function renderChart(
  name: string,
  points: readonly SeriesPoint[],
  { paint, columns, height = 8 }: RenderChartOptions,
): string[] {
  const title = paint.bold(name);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [`${title}  ${paint.dim('no value yet')}`];
  const values = points.map(({ value }) => value);
  // Of the points, and not of the means drawn: a spike is named even where it is too thin to be seen.
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const frame = frameChart({ low, high, height, columns });
  const shown = toColumns(values, frame.width);
  const steps = first.step === last.step ? `step ${first.step}` : `steps ${first.step} to ${last.step}`;
  return [
    `${title}  last ${formatNumber(last.value)}  ${paint.dim(`lowest ${formatNumber(low)}, highest ${formatNumber(high)}`)}`,
    ...frame.around({
      lines: renderLine(shown, { low, high, height }).map(paint.cyan),
      ...{ width: shown.length, steps, paint },
    }),
  ];
}

/** Both axes of a chart between two values: how wide the plot may be, and what is written around it. */
export function frameChart({
  low,
  high,
  height,
  columns,
}: {
  low: number;
  high: number;
  height: number;
  columns: number;
}): {
  width: number;
  around(plot: { lines: readonly string[]; width: number; steps: string; paint: Paint }): string[];
} {
  const labels = [high, (low + high) / 2, low].map(formatNumber);
  const margin = Math.max(...labels.map(({ length }) => length));
  const labelOf = (row: number): string => {
    if (row === 0) return labels[0] ?? '';
    if (row === height - 1) return low === high ? '' : (labels[2] ?? '');
    return row === Math.floor(height / 2) && low !== high ? (labels[1] ?? '') : '';
  };
  return {
    width: Math.max(SHORTEST_PLOT, columns - margin - 3),
    around: ({ lines, width, steps, paint }) => [
      ...lines.map((line, row) => `${labelOf(row).padStart(margin)} ${paint.dim('┤')}${line}`),
      `${' '.repeat(margin)} ${paint.dim(`└${'─'.repeat(width)}`)}`,
      `${' '.repeat(margin + 2)}${paint.dim(steps)}`,
    ],
  };
}

/** Each column is a piece of line at the height of its value, joined to the one before. */
function renderLine(
  values: readonly number[],
  { low, high, height }: { low: number; high: number; height: number },
): string[] {
  const rows = Array.from({ length: height }, () => Array.from({ length: values.length }, () => ' '));
  const put = (row: number, column: number, sign: string): void => {
    const line = rows[row];
    if (line !== undefined) line[column] = sign;
  };
  // The first row is the top.
  const rowOf = (value: number): number =>
    high === low ? Math.floor(height / 2) : Math.round((1 - (value - low) / (high - low)) * (height - 1));
  for (const [column, value] of values.entries()) {
    const row = rowOf(value);
    const before = rowOf(values[column - 1] ?? value);
    if (before === row) put(row, column, '─');
    else {
      put(before, column, before > row ? '╯' : '╮');
      put(row, column, before > row ? '╭' : '╰');
      for (let between = Math.min(before, row) + 1; between < Math.max(before, row); between += 1) {
        put(between, column, '│');
      }
    }
  }
  return rows.map((row) => row.join('').trimEnd());
}
