import type { MetricSink } from './metric-sink.ts';

/** A running helper: lines go in, lines come out. */
export interface HelperProcess {
  write(line: string): void;
  /** Closes its input and waits for its end, or for the time. */
  end(timeoutMs: number): Promise<void>;
  /** The first line it prints, or why there is none. */
  readonly firstLine: Promise<string>;
}

export interface WandbSinkOptions {
  project: string;
  group?: string | undefined;
  name?: string | undefined;
  /** The same id after a restart goes on with the same run. */
  id: string;
  /** Where offline runs are kept; `wandb sync` sends them later. */
  directory: string;
  /** Online sends while training. */
  mode: 'offline' | 'online';
  config?: Readonly<Record<string, unknown>> | undefined;
  startHelper: () => HelperProcess;
}

const END_TIMEOUT_MS = 60_000;

/** Hands metrics to the official Python client of W&B, in a process of its own. Rejects when that cannot be had. */
export async function openWandbSink({
  startHelper,
  ...options
}: WandbSinkOptions): Promise<MetricSink & { url: string | null }> {
  const helper = startHelper();
  helper.write(JSON.stringify(options));
  const first = JSON.parse(await helper.firstLine) as { ready?: boolean; url?: string | null; error?: string };
  if (first.ready !== true) {
    throw new Error(
      first.error === 'no-wandb'
        ? 'the Python of the W&B helper has no package `wandb`. Install it there (`pip install wandb`), or name another with LACHESIS_WANDB_PYTHON'
        : `the W&B helper did not start: ${first.error ?? 'no reason was given'}`,
    );
  }
  let closing: Promise<void> | undefined;
  return {
    name: 'wandb',
    url: first.url ?? null,
    write: async ({ step, values }) => helper.write(JSON.stringify({ step, values })),
    close: () => (closing ??= helper.end(END_TIMEOUT_MS)),
  };
}
