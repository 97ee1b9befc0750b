import { createIdSource, realClock, type Recipe } from '@lachesis/protocol';
import { createInferenceClient, createTrajectoryClient } from '@lachesis/sdk';
import {
  listRecentPolicies,
  openCheckpointList,
  openStepLedger,
  recordMetricPoints,
  recordPolicy,
  type Store,
} from '@lachesis/store';
import { createTinkerClient, type JournalFile } from '@lachesis/tinker';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { InferenceStation } from '../loop/inference/create-inference-station.ts';
import { createTrainer, type Trainer, type TrainerRecords } from '../loop/trainer/create-trainer.ts';
import { createTinkerEngine } from '../loop/trainer/engine/tinker-engine.ts';
import { watchJournal } from '../loop/trainer/engine/watched-journal.ts';
import type { PolicyDoor } from '../loop/trainer/publisher.ts';
import { createJsonlSink } from '../loop/trainer/sinks/jsonl-sink.ts';
import { joinSinks, type MetricSink } from '../loop/trainer/sinks/metric-sink.ts';
import { createStoreSink } from '../loop/trainer/sinks/store-sink.ts';
import { createTensorboardSink } from '../loop/trainer/sinks/tensorboard/tensorboard-sink.ts';
import { openWandbSink } from '../loop/trainer/sinks/wandb-sink.ts';
import { LOCAL_TENANT } from '../platform/access/principal.ts';
import type { TrainerSettings } from '../platform/settings/trainer-settings.ts';
import { toPolicyDoor } from './trainer-policy-door.ts';
import { startWandbHelper } from './trainer-wandb.ts';

export interface TrainerPartsOptions {
  settings: TrainerSettings;
  recipe: Recipe;
  store: Store;
  /** The station in this process, when it hosts one. */
  station: InferenceStation | undefined;
  log: Logger;
  onLine: (line: string) => void;
}

/** As many as a crash can leave behind, and some; what is older was deleted by the process that published it. */
const EARLIER_POLICIES = 16;

/** Where a run keeps its journal and its metrics. */
export const runDirectory = (home: string, run: string): string => join(home, 'runs', run);

/** One life of a trainer: real clock, real engine, real store. It ends with `close`. */
export function openTrainer(options: TrainerPartsOptions): { trainer: Trainer; close(): Promise<void> } {
  const { settings, recipe, store, log } = options;
  const directory = runDirectory(settings.home, settings.run);
  const journal = watchJournal(openJournal(join(directory, 'tinker-journal.jsonl')));
  let closeEngine: (() => Promise<void>) | undefined;
  let trainer: Trainer | undefined;
  trainer = createTrainer({
    recipe,
    client: createTrajectoryClient({ url: recipe.env.rollout_server_url, token: settings.token, retryForMs: 300_000 }),
    inference: openPolicyDoor(options),
    journal,
    consumer: `${hostname()}:${process.pid}`,
    clock: realClock,
    wallClock: Date.now,
    log,
    onLine: options.onLine,
    async openEngine(signal) {
      const service = await createTinkerClient({
        baseUrl: settings.engineUrl,
        journalFile: journal.file,
        onEvent: (event) => log.debug({ event }, 'engine'),
      }).connect({ signal });
      const engine = createTinkerEngine({
        service,
        baseModel: findBaseModel(recipe),
        rank: recipe.tinker.lora_rank,
        seed: recipe.tinker.seed,
        initialState: recipe.tinker.initial_state ?? undefined,
      });
      closeEngine = () => engine.close({ keepModels: trainer?.status().state === 'failed' });
      return engine;
    },
    openRecords: async ({ run_id: runId, incarnation_id: incarnationId }): Promise<TrainerRecords> => {
      const scope = { store, tenantId: LOCAL_TENANT, runId, incarnationId, ids: createIdSource() };
      return {
        ledger: openStepLedger(scope),
        checkpoints: openCheckpointList(scope),
        sink: await openSinks(options, directory, runId),
        recordMetrics: ({ step, at, metrics }) =>
          recordMetricPoints({
            ...scope,
            points: Object.entries(metrics).map(([series, value]) => ({ series, step, at, value })),
          }),
        recordPolicy: (policy) => recordPolicy({ ...scope, policy }),
        policies: await listRecentPolicies({ ...scope, limit: EARLIER_POLICIES }),
      };
    },
  });
  return { trainer, close: async () => closeEngine?.() };
}

/** The name of the model to train: the recipe's, or the one whose tokenizer it names. */
export function findBaseModel({ tinker, env }: Recipe): string {
  return tinker.base_model ?? tinker.tinker_model_name ?? env.tokenizer_name;
}

function openPolicyDoor({ settings, station }: TrainerPartsOptions): PolicyDoor {
  if (station !== undefined) return toPolicyDoor(station);
  return createInferenceClient({ url: settings.inferenceUrl ?? 'http://localhost:8001', token: settings.token });
}

async function openSinks(
  { settings, recipe, store, log }: TrainerPartsOptions,
  directory: string,
  runId: string,
): Promise<MetricSink> {
  const sinks: MetricSink[] = [
    createJsonlSink({ path: join(directory, 'metrics.jsonl') }),
    createStoreSink({ store, tenantId: LOCAL_TENANT, runId }),
  ];
  const { tinker, env } = recipe;
  if (tinker.use_tensorboard) {
    sinks.push(
      createTensorboardSink({
        directory: join(directory, 'tensorboard'),
        startedAt: Date.now(),
        suffix: `${hostname()}.${process.pid}`,
      }),
    );
  }
  if (env.use_wandb) {
    const options = {
      project: tinker.wandb_project ?? settings.wandbProject ?? 'lachesis',
      group: tinker.wandb_group ?? settings.wandbGroup,
      name: tinker.wandb_run_name ?? env.wandb_name ?? settings.run,
      id: runId,
      directory,
      mode: settings.wandbMode as 'offline' | 'online',
      config: { env, tinker },
    };
    try {
      sinks.push(await openWandbSink({ ...options, startHelper: () => startWandbHelper(settings.wandbPython) }));
    } catch (error) {
      // A metrics account is never needed: the run goes on with what is kept here.
      log.warn({ err: error }, 'metrics do not go to W&B');
    }
  }
  return joinSinks(sinks, (name, error) => log.warn({ err: error, sink: name }, 'metrics of a step were not written'));
}

function openJournal(path: string): JournalFile {
  mkdirSync(dirname(path), { recursive: true });
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    // Synchronous: after a kill on the next line the request is either in the file or was never told to anybody.
    append: (text) => appendFileSync(path, text, { mode: 0o600 }),
  };
}
