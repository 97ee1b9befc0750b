import type { Histogram } from '../rl/metrics/distribution.ts';

/** The metrics of one step. */
export interface MetricRow {
  step: number;
  /** Milliseconds since 1970. */
  at: number;
  values: Readonly<Record<string, number>>;
  /** For sinks that draw them; the numbers above hold their quantiles. */
  histograms?: Readonly<Record<string, Histogram>> | undefined;
  /** Which environment measured them; absent for what the trainer did. */
  environment?: string | undefined;
}

/** Where metrics go. A sink that fails is told about and never ends a run. */
export interface MetricSink {
  readonly name: string;
  write(row: MetricRow): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Writes to all of them; what fails is handed to `onFailure` with the name of its sink. */
export function joinSinks(sinks: readonly MetricSink[], onFailure: (name: string, error: unknown) => void): MetricSink {
  const each = async (work: (sink: MetricSink) => Promise<void>): Promise<void> => {
    await Promise.all(sinks.map((sink) => work(sink).catch((error: unknown) => onFailure(sink.name, error))));
  };
  return {
    name: sinks.map(({ name }) => name).join(', '),
    write: (row) => each((sink) => sink.write(row)),
    close: () => each((sink) => sink.close()),
  };
}
