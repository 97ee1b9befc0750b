import type { StepRecord } from '@lachesis/store';
import type { TakenRequest } from '../engine/watched-journal.ts';

/** What is to be done about a step that an earlier process left unfinished. */
export type RecoveryAction =
  /** The weights hold it: save, publish, acknowledge. */
  | { step: StepRecord; action: 'complete' }
  /** Its gradients are all with the engine, and the optimiser has not run: run it, then complete. */
  | { step: StepRecord; action: 'apply' }
  /** Nothing of it is in the weights: take its batch again, if the lease allows. */
  | { step: StepRecord; action: 'retake' };

export interface RecoveryPlan {
  /** Whether the model of the earlier process can be trained on. */
  attach: string | undefined;
  /** Why not, when there was one. */
  reason: string | undefined;
  actions: RecoveryAction[];
}

export interface RecoveryFacts {
  /** Steps without an end, the oldest first. */
  unfinished: readonly StepRecord[];
  /** The model the last process trained, whether its steps ended or not. */
  lastModelId: string | undefined;
  /** Whether that model can no longer be used, and why. */
  poisoned: string | undefined;
  takenSince(modelId: string, sequence: number): readonly TakenRequest[];
  /** Whether a request of any kind under a number that was used gets the answer of the one before. */
  repeatsSafely: boolean;
}

/**
 * Decides what an unfinished step left in the engine, from the ledger and the journal. A step may be half in the gradients
 * of a model; such a model is given up, because a gradient cannot be taken back.
 */
export function planRecovery(facts: RecoveryFacts): RecoveryPlan {
  const { unfinished, lastModelId, poisoned, takenSince, repeatsSafely } = facts;
  const fresh = (reason: string | undefined): RecoveryPlan => ({
    attach: undefined,
    reason,
    actions: unfinished
      .filter(({ state }) => state !== 'stepped' && state !== 'saved')
      .map((step) => ({ step, action: 'retake' })),
  });
  if (lastModelId === undefined) return fresh(undefined);
  if (poisoned !== undefined) return fresh(poisoned);

  const actions: RecoveryAction[] = [];
  for (const step of unfinished) {
    if (step.state === 'stepped' || step.state === 'saved') {
      actions.push({ step, action: 'complete' });
      continue;
    }
    if (step.state === 'leased' || step.modelId !== lastModelId) {
      actions.push({ step, action: 'retake' });
      continue;
    }
    if (step.state === 'updating') return fresh(`step ${step.step} was cut off between its updates`);
    const taken = takenSince(lastModelId, step.firstSequence ?? 0);
    if (taken.some(({ operation }) => operation === 'optim_step')) {
      actions.push({ step, action: 'complete' });
    } else if (step.state === 'passed') {
      actions.push({ step, action: 'apply' });
    } else if (taken.some(({ operation }) => operation === 'forward_backward')) {
      return fresh(`step ${step.step} was cut off while its gradients were on their way`);
    } else if (repeatsSafely) {
      // What the engine took in the moment before the crash, the journal may not know. The first request of the recovery
      // finds out: under a number that is used it gets the answer of the other request.
      actions.push({ step, action: 'retake' });
    } else {
      return fresh(`it is not known whether the gradients of step ${step.step} reached the engine`);
    }
  }
  return { attach: lastModelId, reason: undefined, actions };
}
