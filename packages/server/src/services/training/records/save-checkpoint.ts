import { savePolicy } from '../rl/save-policy.ts';
import type { RecordModel } from './method.ts';
import type { RecordDeps } from './deps.ts';

export interface SavedCheckpoint {
  weightsPath: string;
  statePath: string;
}

/** Saves the weights of this moment, to sample from and to go on from, and notes them. What is too old is deleted. */
export async function saveCheckpoint(
  { engine, checkpoints, retention }: RecordDeps,
  { model, step, isFinal }: { model: RecordModel; step: number; isFinal: boolean },
): Promise<SavedCheckpoint> {
  const { weightsPath, statePath: shadow } = await savePolicy(model, step, engine.traits);
  // The name that was free for the weights is free for the state: the two are always asked for in this order.
  const statePath = shadow ?? (await model.saveState(weightsPath.split('/').at(-1)!)).path;
  // If we die before this line: the engine has weights nobody knows of, and the next process saves again.
  await checkpoints.add({
    step,
    policyVersion: step,
    modelId: model.model.modelId,
    statePath,
    weightsPath,
    isFinal,
  });
  await retention.prune();
  return { weightsPath, statePath };
}
