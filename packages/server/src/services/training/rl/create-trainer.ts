import {
  lastStepOf,
  type NativeRegistrationReply,
  type Recipe,
  type TrainerItems,
  type TrainerItemsRequest,
  type TrainerProgress,
  type TrainerProgressRequest,
} from '@lachesis/protocol';
import type { TrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import { createBatchSource } from './batch-source.ts';
import { createConverter } from './datums/create-converter.ts';
import type { TrainingEngine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import type { CheckpointModels } from '../../models/checkpoint-models.ts';
import { TrainerError } from '../trainer-error.ts';
import { createCheckpointRetention } from '../checkpoint-retention.ts';
import { createEnvironmentList } from './environments/environment-list.ts';
import type { EnvironmentMetrics } from './environments/environment-metrics.ts';
import { createEnvironmentRecorder } from './environments/record-environment-metrics.ts';
import { createRounds } from './environments/rounds.ts';
import { createTakenGroups } from './environments/taken-groups.ts';
import { trainOnBatches } from './loop.ts';
import type { TrainerDeps } from './deps.ts';
import { NO_OWN_CODE, type OwnCode } from './own-code/own-code.ts';
import { createPublisher, type PolicyPublisher } from './publisher.ts';
import { createTemperatureWatch } from './numerics/watch-temperature.ts';
import { recover } from './recover.ts';
import { openDistillation } from './distill/open-distillation.ts';
import { openKlBudget, type KlBudget } from './rlhf/kl-budget.ts';
import type { Reference } from './rlhf/open-reference.ts';
import type { RolloutRecorder } from './rollouts/rollout-recorder.ts';
import type { MetricRow, MetricSink } from '../sinks/metric-sink.ts';
import { createStatus, type TrainerStatus } from './status.ts';
import { watchEvaluations, type EarlyEnd } from './watch-evaluations.ts';

/** What the trainer keeps about a run; opened when the trajectory API has said which run it is. */
export interface TrainerRecords {
  ledger: StepLedger;
  checkpoints: CheckpointList;
  models: CheckpointModels;
  sink: MetricSink;
  rollouts?: RolloutRecorder | undefined;
  reference?: TrainerDeps['reference'];
  /** Writes what an environment measured to every sink; resolves when it is in the store. */
  recordMetrics: (row: MetricRow) => Promise<void>;
  /** Keeps how items did, and tells what is known of all. */
  keepItems: (request: TrainerItemsRequest) => Promise<TrainerItems>;
  /** Where the run is at W&B; undefined when it is not there. */
  wandb?: TrainerStatus['wandb'] | undefined;
  /** Series that the run has from earlier. */
  series: readonly string[];
  /** All points of one of them. */
  readSeries: (series: string) => Promise<readonly { step: number; value: number }[]>;
  recordPolicy: TrainerDeps['recordPolicy'];
  measureCost?: TrainerDeps['measureCost'];
  /** The last publications of this run, the oldest first. */
  policies: readonly { version: number; step: number | null; weightsPath: string | null }[];
}

export interface TrainerOptions {
  recipe: Recipe;
  client: TrajectoryClient;
  inference: PolicyPublisher;
  /** Connects to the engine; it may take as long as the engine needs to start. */
  openEngine(signal: AbortSignal): Promise<TrainingEngine>;
  /** Loads the code that the recipe names by file; there is none when absent. */
  loadOwnCode?: (() => Promise<OwnCode>) | undefined;
  journal: Pick<WatchedJournal, 'nextSequence' | 'takenSince'>;
  /** Connects to the teacher of the recipe, where it has one; refused where it reads other tokens than the student. */
  openTeacher?: ((student: { baseModel: string }, signal: AbortSignal) => Promise<Reference | undefined>) | undefined;
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
  /** Notes how the weights of a step did with the newest checkpoint up to it, and with its model; its step, or null without one. */
  evaluate(step: number, score: number): Promise<number | null>;
  /** Keeps what an environment measured; resolves when it is on disk. Undefined until the run is known. */
  recordMetrics(): ((metrics: EnvironmentMetrics) => Promise<void>) | undefined;
  /** Undefined until the run is known. */
  keepItems(): TrainerRecords['keepItems'] | undefined;
  /** What an environment asks while it serves. Undefined until weights are served. */
  progress(question: TrainerProgressRequest): TrainerProgress | undefined;
  /** Trains to the last step, or until it is stopped. Rejects when it cannot go on. */
  run(): Promise<void>;
  /** Ends after the step that is under way, with a checkpoint. May be called twice, and at any time. */
  stop(): Promise<void>;
}

/** The trainer: batches in, steps of an engine, new weights out. */
export function createTrainer(options: TrainerOptions): Trainer {
  const { recipe, client, clock, log, wallClock } = options;
  const status = createStatus({ totalSteps: lastStepOf(recipe), startedAt: wallClock() });
  const stopping = new AbortController();
  const cancelled = new AbortController();
  /** Ends the loop as its last step does: nobody stopped the run. */
  const ending = new AbortController();
  const watch = watchEvaluations(recipe.tinker);
  let earlyEnd: EarlyEnd | undefined;
  let records: TrainerRecords | undefined;
  let opened: TrainerDeps | undefined;
  let klBudget: KlBudget | undefined;
  let teacher: Reference | undefined;
  const taken = createTakenGroups({ clock });
  const rounds = createRounds();
  const environments = createEnvironmentList({ clock });
  const record = createEnvironmentRecorder({
    // Who comes first is not to write under a name that is meant for all.
    hasSeveral: (name) =>
      (recipe.environments?.length ?? 1) > 1 ||
      environments.hasSeveral ||
      (records?.series.some((series) => series.startsWith(`${name}/`)) ?? false),
    async write(row) {
      await records?.recordMetrics(row);
      await judgeRow(row);
    },
    onLine: options.onLine ?? (() => undefined),
  });
  let running: Promise<void> | undefined;

  /** If we die before this, the points are in the store, and the next process begins with them. */
  async function judgeRow({ step, values }: MetricRow): Promise<void> {
    const best = watch.bestSeries === undefined ? undefined : values[watch.bestSeries];
    if (best !== undefined) await evaluateCheckpoint(step, best);
    const value = watch.endSeries === undefined ? undefined : values[watch.endSeries];
    if (value !== undefined) judgePoint({ step, value });
  }

  function judgePoint(point: { step: number; value: number }): void {
    const end = watch.add(point);
    if (end === undefined || ending.signal.aborted) return;
    earlyEnd = end;
    log.info({ best_step: end.bestStep }, end.detail);
    ending.abort(new Error(end.detail));
  }

  async function evaluateCheckpoint(step: number, score: number): Promise<number | null> {
    const list = records?.checkpoints;
    const checkpoint = (await list?.list())?.find((each) => each.step <= step);
    if (list === undefined || checkpoint === undefined) return null;
    await list.evaluate(checkpoint.step, score);
    await opened?.registerCheckpoints();
    return checkpoint.step;
  }

  async function open(): Promise<TrainerDeps> {
    // Before anybody is asked for anything: a mistake in a file needs no engine.
    const own = (await options.loadOwnCode?.()) ?? NO_OWN_CODE;
    const registration = await client.register(toRegistration(recipe), {
      signal: cancelled.signal,
      retryForMs: 300_000,
    });
    checkBatchSize(recipe, registration);
    status.detail = 'connecting to the engine';
    const engine = await options.openEngine(cancelled.signal);
    records = await options.openRecords(registration);
    status.wandb = records.wandb ?? null;
    const { ledger, checkpoints, models, sink, rollouts, recordPolicy, policies, measureCost } = records;
    const convert = createConverter(recipe, own);
    const watchTemperature = createTemperatureWatch((message) => {
      log.warn(message);
      options.onLine?.(`! ${message}`);
    });
    if (recipe.tinker.grad_clip_norm > 0 && engine.traits.clipNote !== undefined) {
      log.warn(
        { grad_clip_norm: recipe.tinker.grad_clip_norm },
        `gradients are not clipped: ${engine.traits.clipNote}`,
      );
    }
    return {
      recipe,
      own,
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
      registerCheckpoints: async () => {
        if (status.base_model === null) return;
        await models
          .register(await checkpoints.list(), status.base_model)
          .catch((error: unknown) => log.warn({ err: error }, 'a checkpoint is not in the registry of models yet'));
      },
      source: createBatchSource({
        client,
        ledger,
        convert: (groups) => {
          watchTemperature(groups);
          return convert(groups);
        },
        consumer: options.consumer,
        leaseSeconds: options.leaseSeconds,
        clock,
        log,
        onTaken: (step, groupIds) => {
          rounds.close();
          taken.add(step, groupIds);
        },
        onWaiting: (isWaiting) => {
          if (isWaiting) rounds.reopen();
          else rounds.close();
          if (status.state !== 'training' && status.state !== 'waiting') return;
          status.state = isWaiting ? 'waiting' : 'training';
          status.detail = isWaiting ? 'the trainer waits for groups of the environments' : 'training';
        },
      }),
      // Right after a restart none has spoken yet; a strictly on-policy run has no other than those that will.
      followsSteps: () => environments.hasAny || recipe.env.max_batches_offpolicy === 0,
      freeStep: taken.free,
      rounds,
      publisher: createPublisher({ policies: options.inference, clock, log }),
      sink,
      rollouts,
      reference: records.reference,
      clock,
      wallClock,
      log,
      status,
      recordPolicy,
      measureCost,
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
    await deps.registerCheckpoints();
    // Steps that were begun and are in no weights yet are still to come.
    const begun = (await deps.ledger.unfinished()).find(({ state }) => state === 'leased');
    const step = begun === undefined ? await deps.ledger.lastStep() : begun.step - 1;
    status.step = step;
    status.state = 'training';
    status.detail = 'training';

    if (watch.endSeries !== undefined)
      for (const point of (await records?.readSeries(watch.endSeries)) ?? []) judgePoint(point);
    klBudget = await openKlBudget({ deps, model, policies, step });
    teacher = await options.openTeacher?.({ baseModel: model.model.baseModel }, cancelled.signal);
    const hooks = [...(klBudget === undefined ? [] : [klBudget]), openDistillation({ recipe, teacher })];
    const { policyVersion, endedByHook } = await trainOnBatches({
      ...{ deps, model, policyVersion: recovered.policyVersion, step, startedAt, hooks },
      ...{ stopping: AbortSignal.any([stopping.signal, ending.signal]), cancelled: cancelled.signal },
    });
    if (klBudget !== undefined && endedByHook !== undefined) {
      await waitForEnvironments();
      const { step: ended } = await klBudget.endRun({
        ...{ detail: endedByHook.detail, policyVersion, signal: cancelled.signal },
      });
      const { weights_path: weightsPath } = status;
      const { baseModel } = model.model;
      if (weightsPath !== null) await records?.models.registerEnd({ step: ended, weightsPath, baseModel });
    } else {
      await finish(deps, model);
    }
    // After the weights are saved: a server that is away must not cost them.
    await deps.source.settleReturned({ cancelled: cancelled.signal, stopping: stopping.signal });
  }

  /** They evaluate the last weights, and tell what they measured of the last steps. A stop does not wait for it. */
  async function waitForEnvironments(): Promise<void> {
    status.state = 'evaluating';
    status.detail = 'all steps are made; the environments evaluate the last weights';
    await environments.untilDone(stopping.signal);
  }

  async function finish(
    deps: TrainerDeps,
    model: { saveState(name: string): Promise<{ path: string }>; model: { modelId: string } },
  ): Promise<void> {
    const isLast = status.step >= lastStepOf(recipe);
    const isComplete = isLast || (earlyEnd !== undefined && !stopping.signal.aborted);
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
      await deps.registerCheckpoints();
    }
    if (isComplete) await waitForEnvironments();
    status.state = isComplete ? 'finished' : 'stopped';
    status.ended_by = isLast ? 'steps' : isComplete ? 'early-stop' : null;
    status.detail = isLast
      ? `all ${lastStepOf(recipe)} steps are done; the weights are ${status.weights_path ?? 'those of the base model'}`
      : isComplete
        ? `ended at step ${status.step}: ${earlyEnd?.detail ?? ''}; the best checkpoint is \`run:best\``
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
      await teacher?.close();
      await records?.rollouts?.close();
      await records?.sink.close();
    }
  }

  return {
    status: () => ({ ...status }),
    checkpoints: () => records?.checkpoints,
    async evaluate(step, score) {
      // What environments report is their mean reward; another series comes with their metrics.
      return watch.bestSeries === undefined ? await evaluateCheckpoint(step, score) : null;
    },
    recordMetrics: () => (records === undefined ? undefined : record),
    keepItems: () => records?.keepItems,
    progress({ environment, group_ids: ids, is_done: isDone }) {
      if (status.state === 'starting') return undefined;
      environments.add(environment, { isDone });
      return {
        taken_step: Math.max(taken.lastStep, status.step),
        served_step: status.step,
        is_over: status.state === 'evaluating' || status.state === 'finished',
        ...(recipe.env.max_batches_offpolicy === 0 ? { round: rounds.current } : {}),
        groups: taken.find(ids),
      };
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
function toRegistration(recipe: Recipe): Parameters<TrajectoryClient['register']>[0] {
  const { env, tinker } = recipe;
  return {
    batch_size: env.batch_size,
    max_token_len: env.max_token_length,
    max_staleness: tinker.mode === 'sync' ? 1 : Math.max(1, env.max_batches_offpolicy),
    num_steps: lastStepOf(recipe),
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
