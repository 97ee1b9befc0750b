import type { NativeRegistrationReply, Recipe } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';
import type { TrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import { estimators } from './advantages.ts';
import { createBatchSource } from './batch-source.ts';
import { convertBatch } from './datums/convert-batch.ts';
import type { TrainingEngine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import { TrainerError } from '../trainer-error.ts';
import { createCheckpointRetention } from '../checkpoint-retention.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';
import { trainOnBatches } from './loop.ts';
import { nameEnvironmentSeries } from './metrics/own-series.ts';
import type { TrainerDeps } from './deps.ts';
import { createPublisher, type PolicyPublisher } from './publisher.ts';
import { recover } from './recover.ts';
import { openKlBudget, type KlBudget } from './rlhf/kl-budget.ts';
import { createScoreShaper } from './rlhf/shape-scores.ts';
import type { MetricSink } from '../sinks/metric-sink.ts';
import { createStatus, type TrainerStatus } from './status.ts';

/** What the trainer keeps about a run; opened when the trajectory API has said which run it is. */
export interface TrainerRecords {
  ledger: StepLedger;
  checkpoints: CheckpointList;
  sink: MetricSink;
  /** Keeps what an environment measured; resolves when it is on disk. */
  recordMetrics: (metrics: EnvironmentMetrics) => Promise<void>;
  recordPolicy: TrainerDeps['recordPolicy'];
  /** The last publications of this run, the oldest first. */
  policies: readonly { version: number; step: number | null; weightsPath: string | null }[];
}

export interface TrainerOptions {
  recipe: Recipe;
  client: TrajectoryClient;
  inference: PolicyPublisher;
  /** Connects to the engine; it may take as long as the engine needs to start. */
  openEngine(signal: AbortSignal): Promise<TrainingEngine>;
  journal: Pick<WatchedJournal, 'nextSequence' | 'takenSince'>;
  openRecords(registration: NativeRegistrationReply): Promise<TrainerRecords>;
  /** Who leases, for logs and the ledger of the trajectory API. */
  consumer: string;
  clock: Clock;
  wallClock: () => number;
  log: Logger;
  onLine?: ((line: string) => void) | undefined;
  /** Seconds a batch is held without a sign of life; what the trajectory API is set to when absent. */
  leaseSeconds?: number | undefined;
}

export interface Trainer {
  status(): TrainerStatus;
  /** Those that are kept. Undefined until the run is known. */
  checkpoints(): CheckpointList | undefined;
  /** Keeps what an environment measured; resolves when it is on disk. Undefined until the run is known. */
  recordMetrics(): TrainerRecords['recordMetrics'] | undefined;
  /** Trains to the last step, or until it is stopped. Rejects when it cannot go on. */
  run(): Promise<void>;
  /** Ends after the step that is under way, with a checkpoint. May be called twice, and at any time. */
  stop(): Promise<void>;
}

/** The trainer: batches in, steps of an engine, new weights out. */
export function createTrainer(options: TrainerOptions): Trainer {
  const { recipe, client, clock, log, wallClock } = options;
  const status = createStatus({ totalSteps: recipe.env.total_steps, startedAt: wallClock() });
  const stopping = new AbortController();
  const cancelled = new AbortController();
  let records: TrainerRecords | undefined;
  let opened: TrainerDeps | undefined;
  let klBudget: KlBudget | undefined;
  let running: Promise<void> | undefined;

  async function open(): Promise<TrainerDeps> {
    const registration = await client.register(toRegistration(recipe), {
      signal: cancelled.signal,
      retryForMs: 300_000,
    });
    checkBatchSize(recipe, registration);
    status.detail = 'connecting to the engine';
    const engine = await options.openEngine(cancelled.signal);
    records = await options.openRecords(registration);
    const { ledger, checkpoints, sink, recordPolicy, policies } = records;
    const convert = (groups: readonly GroupPayload[]) =>
      convertBatch({
        groups,
        estimate: estimators[recipe.tinker.advantage],
        maxTokens: recipe.tinker.max_token_trainer_length,
        shape: createScoreShaper(recipe.tinker),
        includesEqualGroups: recipe.tinker.kl_coefficient > 0,
      });
    if (recipe.tinker.grad_clip_norm > 0 && engine.traits.clipNote !== undefined) {
      log.warn(
        { grad_clip_norm: recipe.tinker.grad_clip_norm },
        `gradients are not clipped: ${engine.traits.clipNote}`,
      );
    }
    return {
      recipe,
      client,
      engine,
      journal: options.journal,
      ledger,
      checkpoints,
      retention: createCheckpointRetention({
        checkpoints,
        ledger,
        engine,
        keep: recipe.tinker.keep_checkpoints,
        earlier: policies.flatMap(({ step, weightsPath: path }) => (path === null ? [] : [{ step: step ?? 0, path }])),
        log,
      }),
      source: createBatchSource({
        client,
        ledger,
        convert,
        consumer: options.consumer,
        leaseSeconds: options.leaseSeconds,
        clock,
        log,
        onWaiting: (isWaiting) => {
          if (status.state !== 'training' && status.state !== 'waiting') return;
          status.state = isWaiting ? 'waiting' : 'training';
          status.detail = isWaiting ? 'the trainer waits for groups of the environments' : 'training';
        },
      }),
      publisher: createPublisher({ policies: options.inference, clock, log }),
      sink,
      clock,
      wallClock,
      log,
      status,
      recordPolicy,
      onLine: options.onLine ?? (() => undefined),
    };
  }

  async function train(): Promise<void> {
    const deps = await open();
    opened = deps;
    const policies = records?.policies ?? [];
    const served = (await deps.publisher.activeVersion(cancelled.signal)) ?? 0;
    status.detail = 'looking for weights to go on with';
    const recovered = await recover(deps, Math.max(policies.at(-1)?.version ?? 0, served), cancelled.signal);
    const { model } = recovered;
    const startedAt = clock.now();
    status.origin = recovered.origin;
    status.model_id = model.model.modelId;
    status.base_model = model.model.baseModel;
    // Steps that were begun and are in no weights yet are still to come.
    const begun = (await deps.ledger.unfinished()).find(({ state }) => state === 'leased');
    const step = begun === undefined ? await deps.ledger.lastStep() : begun.step - 1;
    status.step = step;
    status.state = 'training';
    status.detail = 'training';

    klBudget = await openKlBudget({ deps, model, policies, step });
    const { policyVersion, endedByHook } = await trainOnBatches({
      ...{ deps, model, policyVersion: recovered.policyVersion, step, startedAt, hook: klBudget },
      ...{ stopping: stopping.signal, cancelled: cancelled.signal },
    });
    if (klBudget !== undefined && endedByHook !== undefined) {
      await klBudget.endRun({ detail: endedByHook.detail, policyVersion, signal: cancelled.signal });
    } else {
      await finish(deps, model);
    }
    // After the weights are saved: a server that is away must not cost them.
    await deps.source.settleReturned(cancelled.signal);
  }

  async function finish(
    deps: TrainerDeps,
    model: { saveState(name: string): Promise<{ path: string }>; model: { modelId: string } },
  ): Promise<void> {
    const isComplete = status.step >= recipe.env.total_steps;
    const [newest] = await deps.checkpoints.list();
    if (status.step > 0 && newest?.step !== status.step) {
      const name = `checkpoint-${status.step}-end`;
      const { path } = await model.saveState(name);
      await deps.checkpoints.add({
        step: status.step,
        policyVersion: status.policy_version,
        modelId: model.model.modelId,
        statePath: path,
        weightsPath: status.weights_path,
        isFinal: isComplete,
      });
    }
    status.state = isComplete ? 'finished' : 'stopped';
    status.ended_by = isComplete ? 'steps' : null;
    status.detail = isComplete
      ? `all ${recipe.env.total_steps} steps are done; the weights are ${status.weights_path ?? 'those of the base model'}`
      : `stopped after step ${status.step}; start it again to go on`;
    log.info({ step: status.step, weights: status.weights_path }, status.detail);
  }

  async function runOnce(): Promise<void> {
    try {
      await train();
    } catch (error) {
      if (stopping.signal.aborted && cancelled.signal.aborted) {
        status.state = 'stopped';
        status.detail = 'stopped before it had begun';
        return;
      }
      status.state = 'failed';
      status.detail = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      stopping.abort(new Error('the trainer has ended'));
      await opened?.source.close();
      await klBudget?.close();
      await records?.sink.close();
    }
  }

  return {
    status: () => ({ ...status }),
    checkpoints: () => records?.checkpoints,
    recordMetrics: () => {
      const record = records?.recordMetrics;
      if (record === undefined) return undefined;
      return ({ metrics, ...row }) =>
        record({
          ...row,
          metrics: Object.fromEntries(
            Object.entries(metrics).map(([name, value]) => [nameEnvironmentSeries(name), value]),
          ),
        });
    },
    run: () => (running ??= runOnce()),
    async stop() {
      stopping.abort(new Error('the trainer is being stopped'));
      // Before the first step there is nothing to finish: whatever it waits for may never come.
      if (status.state === 'starting') cancelled.abort(new Error('the trainer is being stopped'));
      await running?.catch(() => undefined);
    },
  };
}

/** The recipe in the words of the trajectory API. */
function toRegistration({ env, tinker }: Recipe): Parameters<TrajectoryClient['register']>[0] {
  return {
    batch_size: env.batch_size,
    max_token_len: env.max_token_length,
    max_staleness: tinker.mode === 'sync' ? 1 : env.max_batches_offpolicy,
    num_steps: env.total_steps,
    save_checkpoint_interval: tinker.save_checkpoint_interval,
    ...(isGiven(tinker.checkpoint_dir) ? { checkpoint_dir: tinker.checkpoint_dir } : {}),
    ...(isGiven(tinker.wandb_group) ? { wandb_group: tinker.wandb_group } : {}),
    ...(isGiven(tinker.wandb_project) ? { wandb_project: tinker.wandb_project } : {}),
  };
}

/** A file may say `null` for what it leaves out. */
const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

function checkBatchSize({ env }: Recipe, registration: NativeRegistrationReply): void {
  if (registration.batch_size === env.batch_size) return;
  throw new TrainerError({
    kind: 'settings',
    message:
      `This run was registered with a batch size of ${registration.batch_size}, and the recipe says ${env.batch_size}. ` +
      'Use the same recipe, another run (http://…:8000/run/<name>), or reset the run (GET /reset_data).',
  });
}
