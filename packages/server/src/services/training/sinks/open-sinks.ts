import type { Store } from '@lachesis/store';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createJsonlSink } from './jsonl-sink.ts';
import { joinSinks, type MetricSink } from './metric-sink.ts';
import { createStoreSink } from './store-sink.ts';
import { createTensorboardSink } from './tensorboard/tensorboard-sink.ts';
import { openWandbSink } from './wandb-sink.ts';
import { startWandbHelper } from './start-wandb-helper.ts';

/** How a run goes to W&B. */
export interface WandbPlan {
  project: string;
  group: string | undefined;
  name: string;
  mode: 'offline' | 'online';
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

/** Where the metrics of a run go: a file and the store always, TensorBoard and W&B where they are asked for. */
export async function openSinks(options: OpenSinksOptions): Promise<MetricSink> {
  const { directory, store, tenantId, runId, useTensorboard, wandb, log, now = Date.now } = options;
  const sinks: MetricSink[] = [
    createJsonlSink({ path: join(directory, 'metrics.jsonl') }),
    createStoreSink({ store, tenantId, runId }),
  ];
  if (useTensorboard) {
    sinks.push(
      createTensorboardSink({
        directory: join(directory, 'tensorboard'),
        startedAt: now(),
        suffix: `${hostname()}.${process.pid}`,
      }),
    );
  }
  if (wandb !== undefined) {
    const { python, ...plan } = wandb;
    try {
      sinks.push(await openWandbSink({ ...plan, id: runId, directory, startHelper: () => startWandbHelper(python) }));
    } catch (error) {
      // A metrics account is never needed: the run goes on with what is kept here.
      log.warn({ err: error }, 'metrics do not go to W&B');
    }
  }
  return joinSinks(sinks, (name, error) => log.warn({ err: error, sink: name }, 'metrics of a step were not written'));
}
