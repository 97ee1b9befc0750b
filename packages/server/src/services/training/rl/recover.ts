import { ClientError } from '@lachesis/sdk';
import type { StepRecord } from '@lachesis/store';
import { TinkerError } from '@lachesis/tinker';
import { toAck } from './batch-source.ts';
import type { EngineModel } from '../engine/engine.ts';
import { planRecovery, type RecoveryPlan } from './plan-recovery.ts';
import { optimizerAt } from './optimizer-at.ts';
import type { TrainerDeps } from './deps.ts';
import { publishPolicy } from './publish-policy.ts';
import { savePolicy } from './save-policy.ts';

/** The reason a model is not trained on again; the ledger keeps it with the step. */
export const POISONED = 'its numbers are not finite';

export interface Recovered {
  model: EngineModel;
  origin: 'attached' | 'new' | 'restored';
  policyVersion: number;
}

/**
 * Finds the weights to go on with: the model an earlier process left in the engine, else the newest saved state, else new
 * ones. When it resolves, the weights are published, and every step of the ledger is either in them or free to be made again.
 */
export async function recover(deps: TrainerDeps, lastVersion: number, signal: AbortSignal): Promise<Recovered> {
  const { engine, journal, ledger, log } = deps;
  const unfinished = await ledger.unfinished();
  const newest = await ledger.latestOnModel();
  const plan = planRecovery({
    unfinished,
    lastModelId: newest?.modelId ?? undefined,
    poisoned: newest?.state === 'lost' && newest.reason === POISONED ? POISONED : undefined,
    takenSince: journal.takenSince,
    repeatsSafely: engine.traits.repeatsSafely,
  });
  const retake = plan.actions.filter(({ action }) => action === 'retake').map(({ step }) => step);
  if (plan.attach !== undefined) {
    const attached = await attach(deps, plan, plan.attach, lastVersion, signal);
    if (attached !== undefined) {
      await takeAgain(deps, retake);
      return attached;
    }
  } else if (newest !== undefined && newest.modelId !== null) {
    log.warn({ reason: plan.reason }, 'the model of the last process is given up');
    await giveUp(deps, newest.modelId);
  }
  const restored = await restore(deps, unfinished, lastVersion, signal);
  await takeAgain(
    deps,
    unfinished.filter((row) => !isInWeights(row)),
  );
  return restored;
}

const isInWeights = ({ state }: StepRecord): boolean => state === 'stepped' || state === 'saved';

/** Nothing of these steps is in the weights: they begin again with their batches. */
async function takeAgain({ ledger, source }: TrainerDeps, steps: readonly StepRecord[]): Promise<void> {
  for (const { step, state } of steps) if (state !== 'leased') await ledger.advance(step, { state: 'leased' });
  source.resume(steps);
}

async function attach(
  deps: TrainerDeps,
  plan: RecoveryPlan,
  modelId: string,
  lastVersion: number,
  signal: AbortSignal,
): Promise<Recovered | undefined> {
  const { engine, ledger, log, recipe } = deps;
  let model: EngineModel | undefined;
  let policyVersion = lastVersion;
  try {
    model = await engine.attach(modelId);
    if (model === undefined) return undefined;
    for (const { step, action } of plan.actions) {
      if (action !== 'apply') continue;
      await model.optimStep(optimizerAt(recipe, step.step));
      await ledger.advance(step.step, { state: 'stepped' });
    }
    policyVersion = lastVersion + 1;
    // Saving shows at the same time whether the engine still has the model. Where it took gradients that the journal does
    // not know of, it takes the save for those, and gives an answer that is none: the model is then given up.
    await publishSaved(deps, model, policyVersion, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!TinkerError.isInstance(error) || error.retryable) throw error;
    log.warn({ err: error, model: modelId }, 'the engine does not have the model of the last process any more');
    return undefined;
  }
  for (const { step, action } of plan.actions) if (action !== 'retake') await complete(deps, step, policyVersion);
  log.info({ model: modelId }, 'training goes on with the model of the last process');
  return { model, origin: 'attached', policyVersion };
}

/** The step is in the weights: its batch is acknowledged, under the lease it had. */
async function complete(
  { client, ledger, log, source }: TrainerDeps,
  row: StepRecord,
  policyVersion: number,
): Promise<void> {
  try {
    await client.ack({ batch_id: row.batchId, epoch: row.epoch }, toAck({ step: row.step, policyVersion }));
  } catch (error) {
    if (!ClientError.isInstance(error) || error.retryable) throw error;
    source.noteUnsettled(row.batchId);
    // The lease is over. When the batch is handed out again, the ledger says that the weights hold it.
    log.info(
      { batch: row.batchId, step: row.step },
      'the lease of a trained batch is over; it is settled when it comes back',
    );
    await ledger.advance(row.step, { state: 'stepped', policyVersion });
    return;
  }
  await ledger.advance(row.step, { state: 'done', policyVersion });
}

async function restore(
  deps: TrainerDeps,
  unfinished: readonly StepRecord[],
  lastVersion: number,
  signal: AbortSignal,
): Promise<Recovered> {
  const { engine, ledger, checkpoints, log, status } = deps;
  const state = await ledger.latestState();
  const candidates = [
    ...(state === undefined ? [] : [{ step: state.step, path: state.statePath! }]),
    ...(await checkpoints.list()).map(({ step, statePath }) => ({ step, path: statePath })),
  ].sort((left, right) => right.step - left.step);
  for (const { step, path } of candidates) {
    let model: EngineModel;
    try {
      model = await engine.restore(path);
    } catch (error) {
      signal.throwIfAborted();
      if (!TinkerError.isInstance(error) || error.retryable) throw error;
      log.warn({ err: error, step, path }, 'a saved state could not be loaded; an older one is tried');
      continue;
    }
    status.lost_steps += await ledger.loseAfter(step, `the weights went back to step ${step}`);
    log.info({ step, path, lost: status.lost_steps }, 'training goes on from a saved state');
    await publishSaved(deps, model, lastVersion + 1, signal);
    for (const row of unfinished) if (isInWeights(row) && row.step <= step) await complete(deps, row, lastVersion + 1);
    return { model, origin: 'restored', policyVersion: lastVersion + 1 };
  }

  const model = await engine.create();
  const lost = await ledger.loseAfter(0, 'no saved state was left');
  status.lost_steps += lost;
  const isFirst = lost === 0 && unfinished.length === 0 && lastVersion === 0;
  if (lost > 0) log.warn({ lost }, 'no saved state was left; training begins anew');
  if (isFirst && !engine.hasInitialState) {
    await publishPolicy(deps, { version: 0, step: 0, weightsPath: null, baseModel: model.model.baseModel }, signal);
    return { model, origin: 'new', policyVersion: 0 };
  }
  // Version 0 is the base model, which is not what these weights are.
  const policyVersion = lastVersion + 1;
  await publishSaved(deps, model, policyVersion, signal);
  return { model, origin: 'new', policyVersion };
}

async function publishSaved(
  deps: TrainerDeps,
  model: EngineModel,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  const saved = await savePolicy(model, version, deps.engine.traits);
  const step = Math.max(0, await deps.ledger.lastStep());
  await publishPolicy(
    deps,
    { version, step, weightsPath: saved.weightsPath, baseModel: model.model.baseModel },
    signal,
  );
}

/** Frees the place of a model that is not trained on any more. */
async function giveUp({ engine, log }: TrainerDeps, modelId: string): Promise<void> {
  try {
    await (await engine.attach(modelId))?.close();
  } catch (error) {
    log.warn({ err: error, model: modelId }, 'a model that is given up could not be unloaded');
  }
}
