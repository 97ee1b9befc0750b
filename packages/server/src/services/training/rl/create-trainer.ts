import type { GroupPayload, NativeRegistrationReply, Recipe } from '@lachesis/protocol';
import type { Clock, TrajectoryClient } from '@lachesis/sdk';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import { estimators } from './advantages/estimators.ts';
import { createBatchSource, type PreparedBatch } from './batch-source.ts';
import { convertBatch } from './datums/convert-batch.ts';
import type { Engine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import { TrainerError } from '../trainer-error.ts';
import { createCheckpointKeeper } from '../keep-checkpoints.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';
import { describeStep } from './metrics/describe-step.ts';
import { nameEnvironmentSeries } from './metrics/own-series.ts';
import type { StepReport } from './metrics/step-report.ts';
import { toMetrics } from './metrics/to-metrics.ts';
import type { TrainerParts } from './parts.ts';
import { createPublisher, type PolicyDoor } from './publisher.ts';
import { publish, recover } from './recover.ts';
import { holdBack, measuresKl } from './rlhf/hold-back.ts';
import { openReference, type Reference } from './rlhf/open-reference.ts';
import { createScoreShaper } from './rlhf/shape-scores.ts';
import { skipStep, submitStep } from './run-step.ts';
import type { MetricSink } from '../sinks/metric-sink.ts';
import { createStatus, type TrainerStatus } from './status.ts';

/** What the trainer keeps about a run; opened when the trajectory API has said which run it is. */
export interface TrainerRecords {
  ledger: StepLedger;
  checkpoints: CheckpointList;
  sink: MetricSink;
  /** Keeps what an environment measured; resolves when it is on disk. */
  recordMetrics: (metrics: EnvironmentMetrics) => Promise<void>;
  recordPolicy: TrainerParts['recordPolicy'];
  /** The last publications of this run, the oldest first. */
  policies: readonly { version: number; step: number | null; weightsPath: string | null }[];
}

export interface TrainerOptions {
  recipe: Recipe;
  client: TrajectoryClient;
  inference: PolicyDoor;
  /** Connects to the engine; it may take as long as the engine needs to start. */
  openEngine(signal: AbortSignal): Promise<Engine>;
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
  let opened: TrainerParts | undefined;
  let reference: Reference | undefined;
  let running: Promise<void> | undefined;

  async function open(): Promise<TrainerParts> {
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
        keepsEqual: recipe.tinker.kl_coefficient > 0,
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
      keeper: createCheckpointKeeper({
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
      publisher: createPublisher({ door: options.inference, clock, log }),
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
    const parts = await open();
    opened = parts;
    const lastVersion = records?.policies.at(-1)?.version ?? 0;
    const served = (await parts.publisher.activeVersion(cancelled.signal)) ?? 0;
    status.detail = 'looking for weights to go on with';
    const recovered = await recover(parts, Math.max(lastVersion, served), cancelled.signal);
    const { model } = recovered;
    let { policyVersion } = recovered;
    let lastEnded = clock.now();
    status.origin = recovered.origin;
    status.model_id = model.model.modelId;
    status.base_model = model.model.baseModel;
    // Steps that were begun and are in no weights yet are still to come.
    const begun = (await parts.ledger.unfinished()).find(({ state }) => state === 'leased');
    status.step = begun === undefined ? await parts.ledger.lastStep() : begun.step - 1;
    status.state = 'training';
    status.detail = 'training';

    if (measuresKl(recipe.tinker)) {
      reference = await openReference({ engine: parts.engine, trained: model.model.modelId, log });
    }

    const take = (): Promise<PreparedBatch> => {
      const next = parts.source.next(stopping.signal);
      // Heard where it is awaited; a stop before that must not end the process.
      next.catch(() => undefined);
      return next;
    };
    const report = async (step: StepReport): Promise<void> => {
      const now = clock.now();
      const total = (now - lastEnded) / 1000;
      lastEnded = now;
      await tell(parts, { ...step, times: { ...step.times, total } });
    };

    let next: Promise<PreparedBatch> | undefined;
    let finishing: Promise<void> = Promise.resolve();
    let done = status.step;
    /** What was served, by version: a batch is measured after the weights that sampled it. */
    const weights = new Map<number, { step: number; weightsPath: string }>();
    /** The newest weights that sampled a batch within the KL budget; an earlier process trained on none beyond it. */
    let within: { step: number; weightsPath: string } | undefined = findTrainedFrom(records?.policies ?? [], done);
    const isSync = recipe.tinker.mode === 'sync';
    while (done < recipe.env.total_steps && !stopping.signal.aborted) {
      let prepared: PreparedBatch;
      try {
        prepared = await (next ?? take());
      } catch (error) {
        if (stopping.signal.aborted) break;
        throw error;
      }
      done = prepared.step;
      const isLast = done >= recipe.env.total_steps;
      // The next batch is leased, read and converted while the engine works on this one.
      next = isSync || isLast ? undefined : take();
      if (!prepared.isHeld()) {
        await parts.ledger.advance(prepared.step, { state: 'returned', reason: 'its lease ended before it was used' });
        done = prepared.step - 1;
        continue;
      }
      const input = { parts, model, prepared, policyVersion, before: finishing, signal: cancelled.signal };
      if (prepared.converted.sequences.length === 0) {
        await finishing;
        await report(await skipStep(input));
        continue;
      }
      const { policy_version: version, weights_path: weightsPath } = status;
      if (weightsPath !== null) weights.set(version, { step: status.step, weightsPath });
      const held = reference && (await holdBack({ reference, converted: prepared.converted, section: recipe.tinker }));
      if (held?.overBudget !== undefined) {
        // If we die after this line the batch comes back when its lease ends, and is over the budget again.
        await parts.ledger.advance(prepared.step, { state: 'returned', reason: 'the KL budget is spent' });
        prepared.release();
        await finishing;
        await endOverBudget(parts, {
          reason: held.overBudget,
          policyVersion,
          baseModel: model.model.baseModel,
          within,
        });
        return;
      }
      if (held !== undefined) within = weights.get(newestSampler(prepared) ?? version) ?? within;
      const { finished } = await submitStep({
        ...input,
        ...(held === undefined ? {} : { prepared: { ...prepared, converted: held.converted }, kl: held.kl }),
      });
      policyVersion += 1;
      // One step may be with the engine while the one before is being published, and no more.
      const before = finishing;
      finishing = Promise.all([before, finished]).then(([, step]) => report(step));
      finishing.catch(() => undefined);
      await (isSync || isLast ? finishing : before);
    }
    await finishing;
    await finish(parts, model);
  }

  /** Ends with the last weights that were measured within the budget: what went too far is not what is served. */
  async function endOverBudget(
    parts: TrainerParts,
    end: {
      reason: string;
      policyVersion: number;
      baseModel: string;
      within: { step: number; weightsPath: string } | undefined;
    },
  ): Promise<void> {
    const { within, baseModel } = end;
    const isBack = within !== undefined && within.weightsPath !== status.weights_path;
    if (isBack) await publish(parts, { ...within, version: end.policyVersion + 1, baseModel }, cancelled.signal);
    status.state = 'finished';
    status.ended_by = 'kl-budget';
    status.detail =
      `ended after step ${status.step} of ${recipe.env.total_steps}: ${end.reason}. ` +
      `The weights are ${status.weights_path ?? 'those of the base model'}` +
      (isBack
        ? `, of step ${within.step}, the last ones within it.`
        : ', the newest ones; none were measured within it.');
    log.warn({ step: status.step, weights: status.weights_path }, status.detail);
  }

  async function finish(
    parts: TrainerParts,
    model: { saveState(name: string): Promise<{ path: string }>; model: { modelId: string } },
  ): Promise<void> {
    const isComplete = status.step >= recipe.env.total_steps;
    const [newest] = await parts.checkpoints.list();
    if (status.step > 0 && newest?.step !== status.step) {
      const name = `checkpoint-${status.step}-end`;
      const { path } = await model.saveState(name);
      await parts.checkpoints.add({
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

  async function tell({ sink, onLine }: TrainerParts, step: StepReport): Promise<void> {
    const values = toMetrics(step);
    status.step = step.step;
    status.metrics = values;
    status.alarms += step.alarms.length;
    onLine(describeStep(step));
    for (const { name, value, limit, advice } of step.alarms) {
      log.warn(
        { step: step.step, alarm: name, value, limit },
        `${name} is ${value.toPrecision(3)}, above ${limit}: ${advice}`,
      );
    }
    await sink.write({ step: step.step, at: wallClock(), values });
    const [alarm] = step.alarms;
    if (alarm !== undefined && recipe.tinker.on_alarm === 'stop') {
      throw new TrainerError({
        kind: 'alarm',
        message: `${alarm.name} is ${alarm.value.toPrecision(3)} at step ${step.step}, above ${alarm.limit}: ${alarm.advice}. Set on_alarm to warn to go on.`,
      });
    }
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
      opened?.source.close();
      await reference?.close();
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

/** The last published weights that a step up to this one came after. */
function findTrainedFrom(
  policies: TrainerRecords['policies'],
  step: number,
): { step: number; weightsPath: string } | undefined {
  return policies
    .flatMap(({ step: made, weightsPath }) =>
      made === null || weightsPath === null || made >= step ? [] : [{ step: made, weightsPath }],
    )
    .at(-1);
}

/** The newest version that sampled a sequence of a batch; undefined where the environment does not say. */
const newestSampler = ({ converted }: PreparedBatch): number | undefined =>
  converted.sequences
    .flatMap(({ versions }) => versions?.newest ?? [])
    .reduce<number | undefined>((newest, version) => Math.max(newest ?? version, version), undefined);

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
