import { createIdSource, MOST_ITEM_RATES, realClock, type Recipe } from '@lachesis/protocol';
import { homePaths, runPath } from '@lachesis/protocol/home';
import { createInferenceClient, createTrajectoryClient } from '@lachesis/sdk';
import {
  listItemRates,
  listRecentPolicies,
  openCheckpointList,
  openStepLedger,
  readMetricEnds,
  readMetricSeries,
  recordItemRates,
  recordMetricPoints,
  recordPolicy,
  type BlobStore,
  type Store,
} from '@lachesis/store';
import { createTinkerClient } from '@lachesis/tinker';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createTrainer, type Trainer, type TrainerRecords } from '../services/training/rl/create-trainer.ts';
import { createCheckpointModels } from '../services/models/checkpoint-models.ts';
import { createCostMeter } from '../services/training/rl/metrics/cost-meter.ts';
import { findRunPrice } from '../services/models/read-prices.ts';
import { createTinkerEngine } from '../services/training/engine/tinker-engine.ts';
import { watchJournal } from '../services/training/engine/watched-journal.ts';
import { loadOwnCode } from '../services/training/rl/own-code/load-own-code.ts';
import { pinOwnCode } from '../services/training/rl/own-code/pin-own-code.ts';
import { openRunTeacher } from '../services/training/rl/distill/open-run-teacher.ts';
import { pinStart } from '../services/training/rl/pin-start.ts';
import type { PolicyPublisher } from '../services/training/rl/publisher.ts';
import type { TrainerSettings } from '../http/settings/trainer-settings.ts';
import { openJournal } from '../services/training/engine/open-journal.ts';
import { toPolicyPublisher, type HostedInference } from './policy-publisher.ts';
import { createRolloutRecorder } from '../services/training/rl/rollouts/rollout-recorder.ts';
import { openReferenceRecord } from '../services/training/rl/rlhf/reference-record.ts';
import { openSinks, type WandbPlan } from '../services/training/sinks/open-sinks.ts';

export interface TrainerPartsOptions {
  settings: TrainerSettings;
  recipe: Recipe;
  store: Store;
  /** Where the rollouts of steps are kept. */
  blobs: BlobStore;
  /** The station in this process, when it hosts one. */
  station: HostedInference | undefined;
  log: Logger;
  onLine: (line: string) => void;
  /** Tokens that the station in this process has read and sampled; absent where inference is elsewhere. */
  readTokens?: (() => Promise<{ prompt: number; sampled: number }>) | undefined;
}

/** As many as a crash can leave behind, and some; what is older was deleted by the process that published it. */
const EARLIER_POLICIES = 16;

/** One life of a trainer: real clock, real engine, real store. It ends with `close`. */
export function openTrainer(options: TrainerPartsOptions): { trainer: Trainer; close(): Promise<void> } {
  const { settings, recipe, store, log } = options;
  const directory = runPath(settings.home, settings.run);
  const journal = watchJournal(openJournal(join(directory, 'tinker-journal.jsonl')));
  const findStart = async (): Promise<string | undefined> =>
    await pinStart({
      ...{ store, tenantId: settings.tenant, run: settings.run, given: recipe.tinker.initial_state },
      file: join(directory, 'start.json'),
    });
  let closeEngine: (() => Promise<void>) | undefined;
  let trainer: Trainer | undefined;
  trainer = createTrainer({
    recipe,
    client: createTrajectoryClient({ url: recipe.env.rollout_server_url, token: settings.token, retryForMs: 300_000 }),
    inference: openPolicyPublisher(options),
    journal,
    async loadOwnCode() {
      const own = await loadOwnCode(recipe.tinker);
      await pinOwnCode({ store, tenantId: settings.tenant, run: settings.run, directory, files: own.files });
      return own;
    },
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
        lora: {
          rank: recipe.tinker.lora_rank,
          alpha: recipe.tinker.lora_alpha,
          trainMlp: recipe.tinker.train_mlp,
          trainAttention: recipe.tinker.train_attn,
          trainUnembed: recipe.tinker.train_unembed,
        },
        seed: recipe.tinker.seed,
        initialState: await findStart(),
        withOptimizer: recipe.tinker.initial_state_with_optimizer,
      });
      closeEngine = () => engine.close({ leavesModels: trainer?.status().state === 'failed' });
      return engine;
    },
    openTeacher: async (student, signal) =>
      await openRunTeacher({
        ...{ store, tenantId: settings.tenant, run: settings.run, directory, section: recipe.tinker, student },
        ...{ engineUrl: settings.engineUrl, env: process.env, log, signal },
      }),
    openRecords: async ({ run_id: runId, incarnation_id: incarnationId }): Promise<TrainerRecords> => {
      const scope = { store, tenantId: settings.tenant, runId, incarnationId, ids: createIdSource() };
      const ends = await readMetricEnds(scope);
      const sinks = await openSinks({
        directory,
        store,
        tenantId: settings.tenant,
        runId,
        log,
        useTensorboard: recipe.tinker.use_tensorboard,
        wandb: toWandb(options),
      });
      return {
        ledger: openStepLedger(scope),
        checkpoints: openCheckpointList(scope),
        models: createCheckpointModels({
          ...{ store, tenantId: settings.tenant, run: settings.run, recipe, start: await findStart() },
        }),
        rollouts: createRolloutRecorder({ ...scope, blobs: options.blobs, settings: recipe.tinker, log }),
        reference: openReferenceRecord(join(directory, 'reference.json')),
        sink: sinks.all,
        wandb: sinks.wandb,
        // First where the answer is promised for; what fails there is sent again by the environment.
        async recordMetrics(row) {
          const { step, at, values } = row;
          await recordMetricPoints({
            ...scope,
            points: Object.entries(values).map(([series, value]) => ({ series, step, at, value })),
          });
          await sinks.besidesStore.write(row);
        },
        async keepItems({ environment, rates, asks_all: asksAll }) {
          await recordItemRates({ ...scope, environment, rates });
          return { rates: asksAll ? await listItemRates({ ...scope, environment, limit: MOST_ITEM_RATES }) : [] };
        },
        series: ends.map(({ series }) => series),
        readSeries: async (series) =>
          (await readMetricSeries({ ...scope, series })).flatMap(({ step, value }) =>
            value === null ? [] : [{ step, value }],
          ),
        measureCost: await openCostMeter(options, ends.find(({ series }) => series === 'cost/total')?.value ?? 0),
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

/** Undefined where nobody says what the model costs, or its tokens are counted elsewhere. */
async function openCostMeter(
  { settings, recipe, readTokens }: TrainerPartsOptions,
  before: number,
): Promise<TrainerRecords['measureCost']> {
  const price = await findRunPrice(homePaths(settings.home).prices, findBaseModel(recipe), process.env);
  return price === undefined || readTokens === undefined ? undefined : createCostMeter({ price, before, readTokens });
}

function openPolicyPublisher({ settings, station }: TrainerPartsOptions): PolicyPublisher {
  if (station !== undefined) return toPolicyPublisher(station);
  return createInferenceClient({ url: settings.inferenceUrl ?? 'http://localhost:8001', token: settings.token });
}

function toWandb({ settings, recipe }: TrainerPartsOptions): WandbPlan | undefined {
  const { tinker, env } = recipe;
  const { wandbMode: mode } = settings;
  if (!env.use_wandb || mode === 'disabled') return undefined;
  return {
    entity: tinker.wandb_entity ?? settings.wandbEntity,
    project: tinker.wandb_project ?? settings.wandbProject ?? 'lachesis',
    group: tinker.wandb_group ?? settings.wandbGroup,
    name: tinker.wandb_run_name ?? env.wandb_name ?? settings.run,
    mode: mode as 'auto' | 'offline' | 'online',
    python: settings.wandbPython,
    config: { env, tinker },
  };
}
