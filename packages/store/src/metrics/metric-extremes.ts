import type { MetricScope } from './metric-blocks.ts';

export interface MetricExtreme {
  step: number;
  value: number;
}

/** The steps at which a series was lowest and highest in a stretch, the first of equals; undefined where it has no number there. */
export async function readMetricExtremes(
  options: MetricScope & { series: string; from: number; to: number },
): Promise<{ lowest: MetricExtreme; highest: MetricExtreme } | undefined> {
  const { store, tenantId, runId, series, from, to } = options;
  const find = async (direction: 'asc' | 'desc'): Promise<MetricExtreme | undefined> => {
    const row = await store.db
      .selectFrom('metric_points')
      .select(['step', 'value'])
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .where('series', '=', series)
      .where('step', '>=', from)
      .where('step', '<=', to)
      .where('value', 'is not', null)
      .orderBy('value', direction)
      .orderBy('step')
      .limit(1)
      .executeTakeFirst();
    return row === undefined || row.value === null ? undefined : { step: row.step, value: row.value };
  };
  const [lowest, highest] = await Promise.all([find('asc'), find('desc')]);
  return lowest === undefined || highest === undefined ? undefined : { lowest, highest };
}
