import { TinkerError } from '@lachesis/tinker';
import { planRecovery, type RecoveryPlan } from '../rl/plan-recovery.ts';
import { POISONED } from '../rl/recover.ts';
import type { RecordModel } from './method.ts';
import { optimizerOf } from './optimizer-of.ts';
import type { RecordDeps } from './deps.ts';
import { saveCheckpoint } from './save-checkpoint.ts';

export interface RecoveredRecords {
  model: RecordModel;
  origin: 'attached' | 'new' | 'restored';
  /** The last step that is in the weights. */
  step: number;
}

/**
 * Finds the weights to go on with: the model an earlier process left in the engine, else the newest saved state, else new
 * ones. When it resolves, every step up to `step` is in the weights once, and every later one is free to be made.
 */
export async function recoverRecords(deps: RecordDeps): Promise<RecoveredRecords> {
  const { engine, journal, ledger, log } = deps;
  const newest = await ledger.latestOnModel();
  const plan = planRecovery({
    unfinished: await ledger.unfinished(),
    lastModelId: newest?.modelId ?? undefined,
    poisoned: newest?.state === 'lost' && newest.reason === POISONED ? POISONED : undefined,
    takenSince: journal.takenSince,
    repeatsSafely: engine.traits.repeatsSafely,
  });
  if (plan.reason !== undefined) log.warn({ reason: plan.reason }, 'the model of the last process is given up');
  // Among them the one that only measured the reference, when the last process died while it did.
  for (const modelId of await engine.listOpen()) if (modelId !== plan.attach) await giveUp(deps, modelId);
  if (plan.attach !== undefined) {
    const attached = await attach(deps, plan, plan.attach);
    if (attached !== undefined) return attached;
  }
  return restore(deps);
}

async function attach(deps: RecordDeps, plan: RecoveryPlan, modelId: string): Promise<RecoveredRecords | undefined> {
  const { engine, ledger, log, settings, order, signal } = deps;
  try {
    const model = await engine.attach(modelId);
    if (model === undefined) return undefined;
    for (const { step, action } of plan.actions) {
      if (action !== 'apply') continue;
      await model.optimStep(optimizerOf(settings, { step: step.step, totalSteps: order.totalSteps }));
      await ledger.advance(step.step, { state: 'stepped' });
    }
    const inWeights = plan.actions.filter(({ action }) => action !== 'retake').map(({ step }) => step.step);
    const retaken = plan.actions.filter(({ action }) => action === 'retake').map(({ step }) => step.step);
    const step = retaken.length === 0 ? await ledger.lastStep() : Math.min(...retaken) - 1;
    // Saving shows at the same time whether the engine still has the model, and whether it took what no journal knows of.
    await saveCheckpoint(deps, { model, step, isFinal: false });
    for (const each of inWeights) await ledger.advance(each, { state: 'done' });
    await ledger.rewind(step, { modelId, reason: 'nothing of it had reached the engine' });
    log.info({ model: modelId, step }, 'training goes on with the model of the last process');
    return { model, origin: 'attached', step };
  } catch (error) {
    signal.throwIfAborted();
    if (!TinkerError.isInstance(error) || error.retryable) throw error;
    log.warn({ err: error, model: modelId }, 'the engine does not have the model of the last process any more');
    return undefined;
  }
}

async function restore(deps: RecordDeps): Promise<RecoveredRecords> {
  const { engine, ledger, checkpoints, log, signal } = deps;
  for (const { step, statePath } of await checkpoints.list()) {
    let model: RecordModel;
    try {
      model = await engine.restore(statePath);
    } catch (error) {
      signal.throwIfAborted();
      if (!TinkerError.isInstance(error) || error.retryable) throw error;
      log.warn({ err: error, step, path: statePath }, 'a saved state could not be loaded; an older one is tried');
      continue;
    }
    const { modelId } = model.model;
    const again = await ledger.rewind(step, { modelId, reason: `the weights went back to step ${step}` });
    log.info({ step, path: statePath, again }, 'training goes on from a saved state');
    return { model, origin: 'restored', step };
  }
  const model = await engine.create();
  await ledger.rewind(0, { modelId: model.model.modelId, reason: 'no saved state was left' });
  return { model, origin: 'new', step: 0 };
}

/** Frees the place of a model that is not trained on any more. */
async function giveUp({ engine, log }: RecordDeps, modelId: string): Promise<void> {
  try {
    await (await engine.attach(modelId))?.close();
  } catch (error) {
    log.warn({ err: error, model: modelId }, 'a model that is given up could not be unloaded');
  }
}
