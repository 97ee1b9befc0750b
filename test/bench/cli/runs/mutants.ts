import { listTrainingRuns, readMetricSeries, type Store } from '@lachesis/store';

import { LONG_STEPS, loopIdOf, RUNS, TENANT } from './facts.ts';
import type { ChartRow, RunReader } from './reader.ts';

/** Readers with a fault that the bars have to notice. */
export function createMutants(store: Store, real: RunReader): { name: string; kind: string; reader: RunReader }[] {
  const readAll = (run: number, series: string) =>
    readMetricSeries({ store, tenantId: TENANT, runId: loopIdOf(run), series, limit: LONG_STEPS });
  return [
    {
      name: 'a list that looks through every run',
      kind: 'list: by environment',
      reader: {
        ...real,
        async list({ environment, limit }) {
          // As a server does that keeps its runs in files: one after the other.
          const found: string[] = [];
          for (let run = RUNS; run > 0; run -= 1) {
            const beforeRunId = `01a00000-0000-7000-8000-${String(run + 1).padStart(12, '0')}`;
            const page = await listTrainingRuns({ store, tenantId: TENANT, beforeRunId, limit: 1 });
            found.push(...page.filter((one) => one.environment === environment).map(({ shortId }) => shortId));
          }
          return found.slice(0, limit);
        },
      },
    },
    {
      name: 'a chart that reads every point',
      kind: 'chart: ten metrics',
      reader: {
        ...real,
        async chart(run, series, points) {
          await Promise.all(series.map((name) => readAll(run, name)));
          return await real.chart(run, series, points);
        },
      },
    },
    {
      name: 'a chart that keeps the last point of each stretch',
      kind: 'chart: one metric',
      reader: {
        ...real,
        async chart(run, series, points) {
          const chart = await real.chart(run, series, points);
          const name = series[0] ?? '';
          const values = new Map((await readAll(run, name)).map(({ step, value }) => [step, value]));
          return chart.map(({ step }): ChartRow => {
            const value = values.get(step) ?? null;
            return { step, series: new Map([[name, [value, value, value]]]) };
          });
        },
      },
    },
  ];
}
