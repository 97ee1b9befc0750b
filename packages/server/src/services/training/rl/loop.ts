import type { EngineModel } from '../engine/engine.ts';
import type { PreparedBatch } from './batch-source.ts';
import type { StepReport } from './metrics/step-report.ts';
import type { TrainerDeps } from './deps.ts';
import { reportStep } from './report-step.ts';
import type { KlFacts } from './rlhf/penalise-kl.ts';
import { skipStep, submitStep } from './step.ts';

/** Why a hook ends a run: in a few words for the ledger, and in a sentence for people. */
export interface HookEnd {
  reason: string;
  detail: string;
}

/** What a run does with a batch before its step, beyond advantages: RLHF weighs it by its distance from the start. */
export interface BatchHook {
  /** The batch as it is trained on, or why the run ends with it. It touches nothing that has to be taken back. */
  prepare(batch: PreparedBatch): Promise<{ batch: PreparedBatch; kl: KlFacts } | { end: HookEnd }>;
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
  hook: BatchHook | undefined;
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
  const { deps, model, hook, stopping, cancelled } = options;
  const { recipe, source, ledger, clock } = deps;
  const totalSteps = recipe.env.total_steps;
  const isSync = recipe.tinker.mode === 'sync';
  let { step, policyVersion, startedAt: lastEnded } = options;
  let next: Promise<PreparedBatch> | undefined;
  /** All steps that are with the engine, published and reported. */
  let finishing: Promise<void> = Promise.resolve();

  const take = (): Promise<PreparedBatch> => {
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
    step = batch.step;
    const isLast = step >= totalSteps;
    next = isSync || isLast ? undefined : take();
    if (!batch.isHeld()) {
      await ledger.advance(step, { state: 'returned', reason: 'its lease ended before it was used' });
      step -= 1;
      continue;
    }

    const input = { deps, model, prepared: batch, policyVersion, before: finishing, signal: cancelled };
    if (batch.converted.sequences.length === 0) {
      await finishing;
      await report(await skipStep(input));
      continue;
    }
    const hooked = await hook?.prepare(batch);
    if (hooked !== undefined && 'end' in hooked) {
      // If we die after this line the batch comes back when its lease ends, and ends the run again.
      await ledger.advance(step, { state: 'returned', reason: hooked.end.reason });
      batch.release();
      await finishing;
      return { policyVersion, endedByHook: hooked.end };
    }

    const { finished } = await submitStep(
      hooked === undefined ? input : { ...input, prepared: hooked.batch, kl: hooked.kl },
    );
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
