import { createIdSource, realClock, type Recipe } from '@lachesis/protocol';
import { runPath } from '@lachesis/protocol/home';
import { createInferenceClient, createTrajectoryClient } from '@lachesis/sdk';
import {
  listRecentPolicies,
  openCheckpointList,
  openStepLedger,
  recordMetricPoints,
  recordPolicy,
  type Store,
} from '@lachesis/store';
import { createTinkerClient } from '@lachesis/tinker';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createTrainer, type Trainer, type TrainerRecords } from '../services/training/rl/create-trainer.ts';
import { createTinkerEngine } from '../services/training/engine/tinker-engine.ts';
import { watchJournal } from '../services/training/engine/watched-journal.ts';
import type { PolicyPublisher } from '../services/training/rl/publisher.ts';
import type { TrainerSettings } from '../http/settings/trainer-settings.ts';
import { openJournal } from '../services/training/engine/open-journal.ts';
import { toPolicyPublisher, type HostedInference } from './policy-publisher.ts';
import { openSinks, type WandbPlan } from '../services/training/sinks/open-sinks.ts';

export interface TrainerPartsOptions {
  settings: TrainerSettings;
  recipe: Recipe;
  store: Store;
  /** The station in this process, when it hosts one. */
  station: HostedInference | undefined;
  log: Logger;
  onLine: (line: string) => void;
}

/** As many as a crash can leave behind, and some; what is older was deleted by the process that published it. */
const EARLIER_POLICIES = 16;

/** One life of a trainer: real clock, real engine, real store. It ends with `close`. */
export function openTrainer(options: TrainerPartsOptions): { trainer: Trainer; close(): Promise<void> } {
  const { settings, recipe, store, log } = options;
  const directory = runPath(settings.home, settings.run);
  const journal = watchJournal(openJournal(join(directory, 'tinker-journal.jsonl')));
  let closeEngine: (() => Promise<void>) | undefined;
  let trainer: Trainer | undefined;
  trainer = createTrainer({
    recipe,
    client: createTrajectoryClient({ url: recipe.env.rollout_server_url, token: settings.token, retryForMs: 300_000 }),
    inference: openPolicyPublisher(options),
    journal,
    consumer: `${hostname()}:${process.pid}`,
    leaseSeconds: settings.batchLeaseSeconds,
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
      closeEngine = () => engine.close({ leavesModels: trainer?.status().state === 'failed' });
      return engine;
    },
    openRecords: async ({ run_id: runId, incarnation_id: incarnationId }): Promise<TrainerRecords> => {
      const scope = { store, tenantId: settings.tenant, runId, incarnationId, ids: createIdSource() };
      return {
        ledger: openStepLedger(scope),
        checkpoints: openCheckpointList(scope),
        sink: await openSinks({
          directory,
          store,
          tenantId: settings.tenant,
          runId,
          log,
          useTensorboard: recipe.tinker.use_tensorboard,
          wandb: toWandb(options),
        }),
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

function openPolicyPublisher({ settings, station }: TrainerPartsOptions): PolicyPublisher {
  if (station !== undefined) return toPolicyPublisher(station);
  return createInferenceClient({ url: settings.inferenceUrl ?? 'http://localhost:8001', token: settings.token });
}

function toWandb({ settings, recipe }: TrainerPartsOptions): WandbPlan | undefined {
  const { tinker, env } = recipe;
  if (!env.use_wandb) return undefined;
  return {
    project: tinker.wandb_project ?? settings.wandbProject ?? 'lachesis',
    group: tinker.wandb_group ?? settings.wandbGroup,
    name: tinker.wandb_run_name ?? env.wandb_name ?? settings.run,
    mode: settings.wandbMode as 'offline' | 'online',
    python: settings.wandbPython,
    config: { env, tinker },
  };
}
