import type { ChartData, ChartLine } from './chart-data.ts';

/** More than there are columns of pixels on a screen that is read, so that what goes cannot be seen. */
const COLUMNS = 2_000;
/** From here on: fewer points are drawn as they are. */
const MANY = COLUMNS * 4;

/** Of very many points those that can be seen: the lowest and the highest of each line in each column, and the band around all of them. */
export function thinPoints(data: ChartData): ChartData {
  const [start, end] = findView(data);
  if (end - start <= MANY) return data;
  const kept = [start];
  const width = (end - start) / COLUMNS;
  for (let column = 0; column < COLUMNS; column += 1) {
    const [from, to] = [start + Math.floor(column * width), start + Math.floor((column + 1) * width)];
    keepExtremes(kept, data.lines, from, to);
  }
  if (kept.at(-1) !== end - 1) kept.push(end - 1);
  return {
    ...data,
    steps: kept.map((index) => data.steps[index]!),
    lines: data.lines.map((line) => ({
      ...line,
      values: kept.map((index) => line.values[index] ?? null),
      low: line.low && spread(line.low, kept, Math.min),
      high: line.high && spread(line.high, kept, Math.max),
    })),
  };
}

/** The points in view and one on each side, to which lines go on beyond the edge. */
function findView({ steps, range }: ChartData): [start: number, end: number] {
  if (range === undefined) return [0, steps.length];
  const firstInside = steps.findIndex((step) => step >= range[0]);
  const firstBehind = steps.findIndex((step) => step > range[1]);
  const start = firstInside === -1 ? steps.length : firstInside;
  const end = firstBehind === -1 ? steps.length : firstBehind;
  return [Math.max(0, start - 1), Math.min(steps.length, end + 1)];
}

/** Adds places in order, each once; the first of a column where none of its lines was measured, so that the gap stays. */
function keepExtremes(kept: number[], lines: readonly ChartLine[], from: number, to: number): void {
  const found = new Set<number>();
  for (const { values } of lines) {
    let [lowest, highest] = [-1, -1];
    for (let index = from; index < to; index += 1) {
      const value = values[index] ?? null;
      if (value === null) continue;
      if (lowest === -1 || value < values[lowest]!) lowest = index;
      if (highest === -1 || value > values[highest]!) highest = index;
    }
    found.add(lowest === -1 ? from : lowest).add(highest === -1 ? from : highest);
  }
  for (const index of [...found].sort((one, other) => one - other)) if (index > kept.at(-1)!) kept.push(index);
}

/** Of each stretch from a point that is kept to the next. */
function spread(
  values: readonly (number | null)[],
  kept: readonly number[],
  choose: (one: number, other: number) => number,
): (number | null)[] {
  return kept.map((from, place) => {
    let chosen: number | null = null;
    for (let index = from; index < (kept[place + 1] ?? from + 1); index += 1) {
      const value = values[index] ?? null;
      if (value !== null) chosen = chosen === null ? value : choose(chosen, value);
    }
    return chosen;
  });
}
