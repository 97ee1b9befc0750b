import type { WriteStatement } from '../database/store.ts';
import { planBlocks, type MetricPoint, type MetricScope } from './metric-blocks.ts';

/** PostgreSQL takes 65,535 parameters a statement, SQLite 32,766; a point has six. */
const POINTS_PER_STATEMENT = 1_000;

/**
 * Keeps points, and with them in one commit what the stretches they lie in come to. The same point sent twice, as a retry
 * does, is kept once with the later value.
 */
export async function recordMetricPoints(options: MetricScope & { points: readonly MetricPoint[] }): Promise<void> {
  const { store, tenantId, runId } = options;
  // Within one statement PostgreSQL refuses to update a row twice, so the last of equal points is picked here.
  const points = [
    ...new Map(options.points.map((point) => [`${point.step} ${point.at} ${point.series}`, point])).values(),
  ];
  if (points.length === 0) return;
  const statements: WriteStatement[] = [];
  for (let start = 0; start < points.length; start += POINTS_PER_STATEMENT) {
    const rows = points.slice(start, start + POINTS_PER_STATEMENT).map(({ series, step, at, value }) => ({
      tenant_id: tenantId,
      run_id: runId,
      series,
      step,
      at,
      value: value !== null && Number.isFinite(value) ? value : null,
    }));
    const query = store.db
      .insertInto('metric_points')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'run_id', 'series', 'step', 'at'])
          .doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
      )
      .compile();
    statements.push({ query, expectRows: rows.length });
  }
  const { before, after } = planBlocks(options, points);
  await store.commit({ statements: [...before, ...statements, ...after] });
}

export interface MetricSeriesOptions extends MetricScope {
  series: string;
  /** Points after this step. */
  afterStep?: number;
  limit?: number;
}

/** One series in the order of its steps. */
export async function readMetricSeries(options: MetricSeriesOptions): Promise<MetricPoint[]> {
  const { store, tenantId, runId, series, afterStep, limit = 10_000 } = options;
  let query = store.db
    .selectFrom('metric_points')
    .select(['series', 'step', 'at', 'value'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('series', '=', series);
  if (afterStep !== undefined) query = query.where('step', '>', afterStep);
  return await query.orderBy('step').orderBy('at').limit(limit).execute();
}

/** The names of the series a run has. */
export async function listMetricSeries({ store, tenantId, runId }: MetricScope): Promise<string[]> {
  const rows = await store.db
    .selectFrom('metric_points')
    .select('series')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .orderBy('series')
    .execute();
  return rows.map(({ series }) => series);
}
