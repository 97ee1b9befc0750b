import { sql } from 'kysely';
import { BLOCK_WIDTHS, blockOf, scaledSum, toMean } from './metric-blocks.ts';
import type { MetricScope } from './metric-blocks.ts';

export interface MetricChartOptions extends MetricScope {
  /** Which series; they share their stretches, so that they can be put beside each other. */
  series: readonly string[];
  /** Rows at most. */
  points: number;
}

/** What one series did in one stretch. */
export interface MetricChartPoint {
  /** The mean of the stretch; null where nothing in it is a number. */
  value: number | null;
  /** The lowest and the highest value of the stretch: a spike of one step is seen in them, however long the run. */
  low: number | null;
  high: number | null;
}

/** One stretch of a run. */
export interface MetricChartRow {
  /** The last step in it that any of the series has. */
  step: number;
  /** By name; a series that has no point in the stretch is absent. */
  series: Map<string, MetricChartPoint>;
}

interface StretchRow {
  series: string;
  stretch: number;
  step: number;
  points: number;
  total: number;
  low: number | null;
  high: number | null;
}

/**
 * Series thinned out evenly to a number of rows. Never reads more than ten rows of the database for each point it gives:
 * from the widest blocks that still fit into a stretch, and from the points themselves where stretches are short.
 */
export async function readMetricChart(options: MetricChartOptions): Promise<MetricChartRow[]> {
  const { series, points } = options;
  const ends = series.length === 0 ? undefined : await readEnds(options);
  if (ends === undefined) return [];
  const perRow = Math.ceil((ends.last - ends.first + 1) / points);
  const width = BLOCK_WIDTHS.findLast((candidate) => candidate <= perRow);
  // Points that a program of an older version wrote are in no block: then all of them are read.
  const rows = await (width === undefined || ends.isBehind
    ? readPoints(options, { first: ends.first, perRow })
    : readBlocks(options, { width, first: blockOf(ends.first, width), last: blockOf(ends.last, width) }));
  return toChart(rows);
}

function toChart(rows: readonly StretchRow[]): MetricChartRow[] {
  const chart = new Map<number, MetricChartRow>();
  for (const { stretch, step, series, points, total, low, high } of rows) {
    const row = chart.get(stretch) ?? { step, series: new Map() };
    row.step = Math.max(row.step, step);
    // Rounding must not bring the mean out of the range it is the mean of.
    const mean = toMean(total, points);
    const value = mean === null || low === null || high === null ? null : Math.min(high, Math.max(low, mean));
    row.series.set(series, { value, low, high });
    chart.set(stretch, row);
  }
  return [...chart.values()].toSorted((a, b) => a.step - b.step);
}

async function readPoints(
  { store, tenantId, runId, series }: MetricChartOptions,
  { first, perRow }: { first: number; perRow: number },
): Promise<StretchRow[]> {
  const { rows } = await sql<StretchRow>`
    select series, (step - ${sql.lit(first)}) / ${sql.lit(perRow)} as stretch, max(step) as step,
      count(value) as points, ${scaledSum} as total, min(value) as low, max(value) as high
    from metric_points
    where tenant_id = ${tenantId} and run_id = ${runId} and series in (${sql.join([...series])})
    group by 1, 2`.execute(store.db);
  return rows;
}

async function readBlocks(
  { store, tenantId, runId, series, points }: MetricChartOptions,
  { width, first, last }: { width: number; first: number; last: number },
): Promise<StretchRow[]> {
  const perRow = Math.ceil((last - first + 1) / points);
  const { rows } = await sql<StretchRow>`
    select series, (block - ${sql.lit(first)}) / ${sql.lit(perRow)} as stretch, max(last_step) as step,
      cast(sum(points) as bigint) as points, sum(total) as total, min(lowest) as low, max(highest) as high
    from metric_blocks
    where tenant_id = ${tenantId} and run_id = ${runId} and series in (${sql.join([...series])})
      and width = ${sql.lit(width)}
    group by 1, 2`.execute(store.db);
  return rows;
}

/** The first and last step of any of the series. Look-ups in the index, however many points there are. */
async function readEnds({
  store,
  tenantId,
  runId,
  series,
}: MetricChartOptions): Promise<{ first: number; last: number; isBehind: boolean } | undefined> {
  const names = sql.join(series.map((name) => sql`(cast(${name} as text))`));
  const mine = sql`tenant_id = ${tenantId} and run_id = ${runId} and series = name`;
  const { rows } = await sql<{ first: number | null; last: number | null; folded: number | null }>`
    with names(name) as (values ${names})
    select (select min(step) from metric_points where ${mine}) as first,
      (select max(step) from metric_points where ${mine}) as last,
      (select last_step from metric_blocks where ${mine} and width = 1000 order by block desc limit 1) as folded
    from names`.execute(store.db);
  const found = rows.filter(({ last }) => last !== null);
  if (found.length === 0) return undefined;
  return {
    first: Math.min(...found.map(({ first }) => first ?? Infinity)),
    last: Math.max(...found.map(({ last }) => last ?? -Infinity)),
    isBehind: found.some(({ last, folded }) => folded === null || folded < (last ?? 0)),
  };
}
