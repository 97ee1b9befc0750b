import type { MetricSink } from './metric-sink.ts';

/** A running helper: lines go in, lines come out. */
export interface HelperProcess {
  write(line: string): void;
  /** Closes its input and waits for its end, or for the time. */
  end(timeoutMs: number): Promise<void>;
  /** The first line it prints, or why there is none. */
  readonly firstLine: Promise<string>;
}

/** Where a run is at W&B. */
export interface WandbPlace {
  entity: string | null;
  project: string;
  /** Null for a run that is kept offline. */
  url: string | null;
}

/** `auto`: online where a key is set, as the official client has it. */
export type WandbMode = 'auto' | 'offline' | 'online';

export interface WandbSinkOptions {
  entity?: string | undefined;
  project: string;
  group?: string | undefined;
  name?: string | undefined;
  /** The same id after a restart goes on with the same run. */
  id: string;
  /** Where offline runs are kept; `wandb sync` sends them later. */
  directory: string;
  /** Online sends while training. */
  mode: WandbMode;
  config?: Readonly<Record<string, unknown>> | undefined;
  startHelper: () => HelperProcess;
}

const END_TIMEOUT_MS = 60_000;

/** Hands metrics to the official Python client of W&B, in a process of its own. Rejects when that cannot be had. */
export async function openWandbSink({
  startHelper,
  ...options
}: WandbSinkOptions): Promise<MetricSink & { place: WandbPlace }> {
  const helper = startHelper();
  helper.write(JSON.stringify(options));
  const first = JSON.parse(await helper.firstLine) as { ready?: boolean; error?: string } & Partial<WandbPlace>;
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
    place: { entity: first.entity ?? null, project: first.project ?? options.project, url: first.url ?? null },
    write: async ({ step, values, histograms }) => helper.write(JSON.stringify({ step, values, histograms })),
    close: () => (closing ??= helper.end(END_TIMEOUT_MS)),
  };
}
