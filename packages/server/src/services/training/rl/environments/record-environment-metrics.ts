import { nameEnvironmentSeries } from '../metrics/own-series.ts';
import type { MetricRow } from '../../sinks/metric-sink.ts';
import { describeEvaluation } from './describe-evaluation.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';

export interface RecordEnvironmentMetricsOptions {
  /** Whether series carry the environment's name: there are several, or there were. */
  hasSeveral: (environment: string) => boolean;
  /** Writes them wherever the trainer's own metrics go; resolves when they are on disk. */
  write: (row: MetricRow) => Promise<void>;
  onLine: (line: string) => void;
}

/** Rows that came again after a lost answer are among the last. */
const REMEMBERED_ROWS = 1_000;

/** Takes what environments measured: named so that no two series mix, each row once, evaluations told to whoever watches. */
export function createEnvironmentRecorder(
  options: RecordEnvironmentMetricsOptions,
): (metrics: EnvironmentMetrics) => Promise<void> {
  const written = new Set<string>();
  return async ({ environment, step, at, metrics }) => {
    const key = `${environment ?? ''} ${step} ${at} ${Object.keys(metrics).join()}`;
    if (written.has(key)) return;
    const prefix = environment !== undefined && options.hasSeveral(environment) ? `${environment}/` : '';
    const numbers = Object.entries(metrics).filter((entry): entry is [string, number] => entry[1] !== null);
    const values = Object.fromEntries(
      numbers.map(([name, value]) => [prefix === '' ? nameEnvironmentSeries(name) : `${prefix}${name}`, value]),
    );
    await options.write({ step, at, values, environment });
    written.add(key);
    const [oldest] = written;
    if (written.size > REMEMBERED_ROWS && oldest !== undefined) written.delete(oldest);
    const line = describeEvaluation({ environment, step, metrics: Object.fromEntries(numbers) });
    if (line !== undefined) options.onLine(line);
  };
}
