import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MetricSink } from '../metric-sink.ts';
import { encodeSummaryRecord, encodeVersionRecord } from './encode-event.ts';

export interface TensorboardSinkOptions {
  directory: string;
  /** Milliseconds since 1970; part of the file's name. */
  startedAt: number;
  /** Makes the name different from that of another process. */
  suffix: string;
}

/** TensorBoard event files: `tensorboard --logdir <directory>`. A restarted trainer begins a new file beside the old one. */
export function createTensorboardSink({ directory, startedAt, suffix }: TensorboardSinkOptions): MetricSink {
  const path = join(directory, `events.out.tfevents.${Math.floor(startedAt / 1000)}.lachesis.${suffix}`);
  let opened: Promise<unknown> | undefined;
  return {
    name: 'tensorboard',
    async write({ step, at, values, histograms }) {
      opened ??= mkdir(directory, { recursive: true }).then(() => appendFile(path, encodeVersionRecord(at / 1000)));
      await opened;
      await appendFile(path, encodeSummaryRecord({ wallTime: at / 1000, step, values, histograms }));
    },
    close: async () => undefined,
  };
}
