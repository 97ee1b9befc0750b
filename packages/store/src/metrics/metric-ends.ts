import { sql } from 'kysely';
import type { MetricPoint, MetricScope } from './metric-blocks.ts';

/**
 * The last point of every series of a run. Goes from name to name in the index: the number of points does not matter.
 */
export async function readMetricEnds({ store, tenantId, runId }: MetricScope): Promise<MetricPoint[]> {
  const mine = sql`tenant_id = ${tenantId} and run_id = ${runId}`;
  const last = sql`from metric_points where ${mine} and series = name order by step desc, at desc limit 1`;
  const { rows } = await sql<MetricPoint>`
    with recursive names(name) as (
      select min(series) from metric_points where ${mine}
      union all
      select (select min(series) from metric_points where ${mine} and series > name) from names where name is not null
    )
    select name as series, (select step ${last}) as step, (select at ${last}) as at, (select value ${last}) as value
    from names where name is not null`.execute(store.db);
  return rows;
}

/** Steps that are read at once: with a few dozen series that is some thousand points. */
const STEPS_AT_ONCE = 100;

/**
 * Some points of every series behind a step, in the order of their steps: for who follows a run. Steps are given whole, so
 * that going on behind the last of them leaves nothing out.
 */
export async function listMetricRows(
  options: MetricScope & {
    afterStep: number;
    /** The names of the series, where they are known already. */
    series?: readonly string[];
  },
): Promise<MetricPoint[]> {
  const { store, tenantId, runId, afterStep } = options;
  const series = options.series ?? (await readMetricEnds(options)).map((end) => end.series);
  if (series.length === 0) return [];
  const names = sql.join(series.map((name) => sql`(cast(${name} as text))`));
  const mine = sql`tenant_id = ${tenantId} and run_id = ${runId} and series = name`;
  const { rows } = await sql<{ next: number | null }>`
    with names(name) as (values ${names})
    select min(next) as next from (
      select (select min(step) from metric_points where ${mine} and step > ${afterStep}) as next from names
    ) as nexts`.execute(store.db);
  const next = rows[0]?.next ?? null;
  if (next === null) return [];
  return await store.db
    .selectFrom('metric_points')
    .select(['series', 'step', 'at', 'value'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('series', 'in', series)
    .where('step', '>=', next)
    .where('step', '<', next + STEPS_AT_ONCE)
    .orderBy('step')
    .orderBy('at')
    .execute();
}
