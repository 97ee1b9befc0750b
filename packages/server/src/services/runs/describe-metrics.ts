import type { runExtremesSchemas, RunMetrics, RunMetricsQuery } from '@lachesis/protocol';
import {
  readMetricChart,
  readMetricExtremes,
  type MetricChartPoint,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import type { z } from 'zod';
import { readWandbPlace } from '../training/sinks/wandb-place.ts';
import { findLoopRun, readProgress } from './describe-run.ts';
import { describeSeries } from './describe-series.ts';
import { readRunDetails } from './details.ts';

type MetricChartRow = Awaited<ReturnType<typeof readMetricChart>>[number];

/** Rows of history when nobody says how many: what an agent can read at a glance. */
const DEFAULT_ROWS = 100;

/** Everything `GET /runs/{id}/metrics` tells. */
export async function describeMetrics(options: {
  store: Store;
  run: TrainingRun;
  query: RunMetricsQuery;
}): Promise<RunMetrics> {
  const { store, run, query } = options;
  const loop = await findLoopRun(options);
  const draw = async (series: readonly string[]): Promise<MetricChartRow[]> =>
    loop === undefined
      ? []
      : await readMetricChart({
          ...{ store, tenantId: loop.tenantId, runId: loop.runId },
          ...{ series, points: query.limit ?? DEFAULT_ROWS },
        });
  const progress = readProgress(options);
  const wanted = query.series?.split(',').map((name) => name.trim());
  // A series that was asked for by name is drawn without waiting for the names; one that there is not has no points.
  const [{ ends, weightsPath }, chart] = await Promise.all([
    progress,
    wanted === undefined
      ? progress.then((found) => draw(found.ends.map(({ series }) => series)))
      : draw([...new Set(wanted)]),
  ]);
  const all = ends.map(({ series }) => series);
  const ranges = chart.flatMap(toRange);
  const details = readRunDetails(run.details);
  const wandb = await readWandbPlace(details.directory);
  return {
    run_id: run.shortId,
    status: run.state,
    environment: run.environment,
    final_metrics: Object.fromEntries(ends.map(({ series, value }) => [series, value])),
    history: chart.map(({ step, series }) => ({ step, ...fromEach(series, ({ value }) => value) })),
    ...(ranges.length === 0 ? {} : { ranges }),
    series: all,
    descriptions: describeSeries(all),
    metrics_url: wandb?.url ?? null,
    weights_path: weightsPath,
    wandb_entity: wandb?.entity ?? null,
    wandb_project: wandb?.project ?? details.wandbProject,
    wandb_run_name: details.wandbRunName,
  };
}

/** Everything `GET /runs/{id}/metrics/extremes` tells. */
export async function describeExtremes(options: {
  store: Store;
  run: TrainingRun;
  query: z.output<(typeof runExtremesSchemas)['query']>;
}): Promise<z.infer<(typeof runExtremesSchemas)['reply']>> {
  const { store, run, query } = options;
  const loop = await findLoopRun(options);
  const scope = loop === undefined ? undefined : { store, tenantId: loop.tenantId, runId: loop.runId };
  const found = scope === undefined ? undefined : await readMetricExtremes({ ...scope, ...query });
  return {
    ...{ run_id: run.shortId, series: query.series },
    ...{ lowest: found?.lowest ?? null, highest: found?.highest ?? null },
  };
}

const fromEach = <T>(
  series: ReadonlyMap<string, MetricChartPoint>,
  read: (point: MetricChartPoint) => T,
): Record<string, T> => Object.fromEntries([...series].map(([name, point]) => [name, read(point)]));

/** The series of a row whose values differ; a row of single points tells everything already. */
function toRange({ step, series }: MetricChartRow): { step: number; [series: string]: unknown }[] {
  const wide = new Map([...series].filter(([, { low, high }]) => low !== high));
  return wide.size === 0 ? [] : [{ step, ...fromEach(wide, ({ low, high }) => [low, high]) }];
}
