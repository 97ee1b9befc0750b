import { lastStepOf } from '@lachesis/protocol';
import type { EngineModel } from '../engine/engine.ts';
import type { PreparedBatch } from './batch-source.ts';
import type { StepReport } from './metrics/step-report.ts';
import type { TrainerDeps } from './deps.ts';
import { weighByAge } from './datums/weigh-by-age.ts';
import type { DistillFacts } from './distill/add-teacher-term.ts';
import { reportStep } from './report-step.ts';
import type { KlFacts } from './rlhf/penalise-kl.ts';
import { skipStep, submitStep } from './step.ts';

/** Why a hook ends a run: in a few words for the ledger, and in a sentence for people. */
export interface HookEnd {
  reason: string;
  detail: string;
}

/** A batch as it is trained on, and what was measured of it on the way. */
export interface HookedBatch {
  batch: PreparedBatch;
  /** Its distance from the start weights. */
  kl?: KlFacts | undefined;
  /** What teachers said. */
  distill?: DistillFacts | undefined;
  /** Log probabilities under the start weights, one array per sequence, where the loss has a term of them. */
  reference?: readonly Float32Array[] | undefined;
}

/** What a run does with a batch before its step, beyond advantages: RLHF weighs it by its distance from the start, teachers say how they find it. */
export interface BatchHook {
  /** The batch as it is trained on, or why the run ends with it. It touches nothing that has to be taken back. */
  prepare(batch: PreparedBatch): Promise<HookedBatch | { end: HookEnd }>;
}

export interface TrainLoopOptions {
  deps: TrainerDeps;
  model: EngineModel;
  /** The version of the weights to begin with. */
  policyVersion: number;
  /** The last step that is in them. */
  step: number;
  /** On the clock of the parts; the first step is timed from here. */
  startedAt: number;
  /** In their order; each gets the batch as the one before left it. */
  hooks: readonly BatchHook[];
  /** No batch is taken after this. */
  stopping: AbortSignal;
  /** Ends a step that is under way. */
  cancelled: AbortSignal;
}

export interface TrainLoopEnd {
  policyVersion: number;
  /** What the hook said when it ended the run; undefined after the last step, and after a stop. */
  endedByHook: HookEnd | undefined;
}

/**
 * The loop of GRPO and its relatives:
 *
 *     lease a batch ─▶ advantages, datums ─▶ gradients ─▶ optimiser ─▶ save ─▶ publish ─▶ acknowledge ─▶ metrics
 *     └──────── batch-source.ts ─────────┘   └──────────────────── step.ts ──────────────────────────┘
 *
 * In `async` mode the next batch is leased and converted, and its gradients are sent, while this step is saved and
 * published; in `sync` mode each step is served before the next batch is taken.
 */
export async function trainOnBatches(options: TrainLoopOptions): Promise<TrainLoopEnd> {
  const { deps, model, hooks, stopping, cancelled } = options;
  const { recipe, source, ledger, clock } = deps;
  const totalSteps = lastStepOf(recipe);
  const isSync = isServedFirst(recipe);
  let { step, policyVersion, startedAt: lastEnded } = options;
  const mostEmpty = recipe.tinker.max_empty_batches ?? MOST_EMPTY_BATCHES;
  /** In a row, before the batch that is at hand. */
  let emptyBatches = 0;
  let next: Promise<PreparedBatch> | undefined;
  /** All steps that are with the engine, published and reported. */
  let finishing: Promise<void> = Promise.resolve();

  const take = (): Promise<PreparedBatch> => {
    // In a run that samples in rounds nothing is under way when a batch is asked for: the weights of the last step are served.
    deps.rounds.open(policyVersion);
    const taken = source.next(stopping);
    // Heard where it is awaited; a stop before that must not end the process.
    taken.catch(() => undefined);
    return taken;
  };
  const report = async (made: StepReport): Promise<void> => {
    const now = clock.now();
    const total = (now - lastEnded) / 1000;
    lastEnded = now;
    await reportStep(deps, { ...made, times: { ...made.times, total } });
  };

  while (step < totalSteps && !stopping.aborted) {
    let batch: PreparedBatch;
    try {
      batch = await (next ?? take());
    } catch (error) {
      if (stopping.aborted) break;
      throw error;
    }
    next = undefined;
    step = batch.step;
    const isLast = step >= totalSteps;
    if (!batch.isHeld()) {
      await ledger.advance(step, { state: 'returned', reason: 'its lease ended before it was used' });
      deps.freeStep(step);
      step -= 1;
      continue;
    }
    batch = { ...batch, converted: weighByAge(batch.converted, { recipe, step, policyVersion }) };

    const input = { deps, model, prepared: batch, policyVersion, before: finishing, signal: cancelled };
    if (batch.converted.sequences.length === 0) {
      await finishing;
      emptyBatches += 1;
      // The number is free before another batch is asked for: that one is to have it.
      const isCounted = !deps.followsSteps() || emptyBatches > mostEmpty;
      await report(await skipStep({ ...input, emptyBatches, isCounted }));
      if (!isCounted) {
        deps.freeStep(step);
        step -= 1;
      }
      continue;
    }
    next = isSync || isLast ? undefined : take();
    const hooked = await prepareBatch(batch, hooks);
    if ('end' in hooked) {
      // If we die after this line the batch comes back when its lease ends, and ends the run again.
      await ledger.advance(step, { state: 'returned', reason: hooked.end.reason });
      batch.release();
      await finishing;
      return { policyVersion, endedByHook: hooked.end };
    }

    const skipped = { emptyBatches };
    emptyBatches = 0;
    const { batch: prepared, ...measured } = hooked;
    const { finished } = await submitStep({ ...input, ...skipped, ...measured, prepared });
    policyVersion += 1;
    // One step may be with the engine while the one before is being published, and no more.
    const before = finishing;
    finishing = Promise.all([before, finished]).then(([, made]) => report(made));
    finishing.catch(() => undefined);
    await (isSync || isLast ? finishing : before);
  }
  await finishing;
  return { policyVersion, endedByHook: undefined };
}

async function prepareBatch(
  batch: PreparedBatch,
  hooks: readonly BatchHook[],
): Promise<HookedBatch | { end: HookEnd }> {
  let hooked: HookedBatch = { batch };
  for (const hook of hooks) {
    const next = await hook.prepare(hooked.batch);
    if ('end' in next) return next;
    hooked = { ...hooked, ...next };
  }
  return hooked;
}

/** A run whose batches bring nothing any more is to come to its end: beyond so many in a row each counts as a step. */
const MOST_EMPTY_BATCHES = 8;

/** Whether each step is served before the next batch is taken; a strictly on-policy run cannot do otherwise. */
const isServedFirst = ({ env, tinker }: TrainerDeps['recipe']): boolean =>
  tinker.mode === 'sync' || env.max_batches_offpolicy === 0;
