import { readFile } from 'node:fs/promises';

/** Values by series and step; of a number that was told twice the later one counts. */
export type SeriesTable = Map<string, Map<number, number>>;

export function addPoint(table: SeriesTable, series: string, step: number, value: number): void {
  const points = table.get(series) ?? new Map<number, number>();
  points.set(step, value);
  table.set(series, points);
}

/** The numbers of a `metrics.jsonl`. */
export async function readMetricsFile(file: string): Promise<SeriesTable> {
  const table: SeriesTable = new Map();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    const { step, time: _time, environment: _environment, ...values } = JSON.parse(line) as Record<string, number>;
    for (const [series, value] of Object.entries(values)) if (value !== null) addPoint(table, series, step!, value);
  }
  return table;
}

export const toTable = (points: Iterable<{ series: string; step: number; value: number | null }>): SeriesTable => {
  const table: SeriesTable = new Map();
  for (const { series, step, value } of points) if (value !== null) addPoint(table, series, step, value);
  return table;
};
