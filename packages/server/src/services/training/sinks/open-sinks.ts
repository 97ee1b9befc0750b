import type { Store } from '@lachesis/store';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createJsonlSink } from './jsonl-sink.ts';
import { joinSinks, type MetricSink } from './metric-sink.ts';
import { createStoreSink } from './store-sink.ts';
import { createTensorboardSink } from './tensorboard/tensorboard-sink.ts';
import { openWandbSink, type WandbMode, type WandbPlace } from './wandb-sink.ts';
import { writeWandbPlace } from './wandb-place.ts';
import { startWandbHelper } from './start-wandb-helper.ts';

/** How a run goes to W&B. */
export interface WandbPlan {
  entity: string | undefined;
  project: string;
  group: string | undefined;
  name: string;
  mode: WandbMode;
  /** The Python that has wandb. */
  python: string;
  config: Readonly<Record<string, unknown>>;
}

export interface OpenSinksOptions {
  /** Of the run. */
  directory: string;
  store: Store;
  tenantId: string;
  runId: string;
  useTensorboard: boolean;
  wandb: WandbPlan | undefined;
  log: Logger;
  now?: () => number;
}

/** Where the metrics of a run go. */
export interface RunSinks {
  all: MetricSink;
  /** All but the store, for who writes there itself. */
  besidesStore: MetricSink;
  /** Where the run is at W&B; undefined when it is not there. */
  wandb: WandbPlace | undefined;
}

/** Opens them: a file and the store always, TensorBoard and W&B where they are asked for. */
export async function openSinks(options: OpenSinksOptions): Promise<RunSinks> {
  const { directory, store, tenantId, runId, useTensorboard, wandb, log, now = Date.now } = options;
  const sinks: MetricSink[] = [createJsonlSink({ path: join(directory, 'metrics.jsonl') })];
  if (useTensorboard) {
    sinks.push(
      createTensorboardSink({
        directory: join(directory, 'tensorboard'),
        startedAt: now(),
        suffix: `${hostname()}.${process.pid}`,
      }),
    );
  }
  let place: WandbPlace | undefined;
  if (wandb !== undefined) {
    const { python, ...plan } = wandb;
    try {
      const sink = await openWandbSink({ ...plan, id: runId, directory, startHelper: () => startWandbHelper(python) });
      sinks.push(sink);
      place = sink.place;
      await writeWandbPlace(directory, place);
    } catch (error) {
      // A metrics account is never needed: the run goes on with what is kept here.
      log.warn({ err: error }, 'metrics do not go to W&B');
    }
  }
  const onFailure = (name: string, error: unknown): void =>
    log.warn({ err: error, sink: name }, 'metrics of a step were not written');
  const inStore = createStoreSink({ store, tenantId, runId });
  return { all: joinSinks([inStore, ...sinks], onFailure), besidesStore: joinSinks(sinks, onFailure), wandb: place };
}
