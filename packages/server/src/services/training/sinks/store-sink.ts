import { recordMetricPoints, type MetricScope } from '@lachesis/store';
import type { MetricSink } from './metric-sink.ts';

/** Points in the store, where the control plane and the dashboard read them. */
export function createStoreSink(scope: MetricScope): MetricSink {
  return {
    name: 'store',
    write: ({ step, at, values }) =>
      recordMetricPoints({
        ...scope,
        points: Object.entries(values).map(([series, value]) => ({ series, step, at, value })),
      }),
    close: async () => undefined,
  };
}
