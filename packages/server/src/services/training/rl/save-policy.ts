import { TinkerConflictError } from '@lachesis/tinker';
import type { EngineModel, EngineTraits } from '../engine/engine.ts';

/** Saved weights: what is sampled from, and what training can go on from where the engine keeps that too. */
export interface SavedPolicy {
  weightsPath: string;
  statePath: string | null;
}

/** A name may be taken by as many processes as died in a row right after they had asked for it. */
const MAX_NAMES = 6;

/**
 * Saves the weights of this moment as a policy version. A name that is taken was asked for by a process that died; whether
 * the engine ever finished that one is not known, so another name is used.
 */
export async function savePolicy(
  model: Pick<EngineModel, 'model' | 'saveForSampler'>,
  version: number,
  traits: Pick<EngineTraits, 'savesStateWithWeights'>,
): Promise<SavedPolicy> {
  const { modelId } = model.model;
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? `policy-${version}` : `policy-${version}-${attempt}`;
    try {
      const { path } = await model.saveForSampler(name);
      const statePath = traits.savesStateWithWeights ? `tinker://${modelId}/weights/${name}` : null;
      // Under a number that a dead process had used for a save, the engine answers with that save instead of ours.
      if (path.endsWith(`/${name}`) || attempt >= MAX_NAMES) return { weightsPath: path, statePath };
    } catch (error) {
      const isTaken = TinkerConflictError.isInstance(error) && error.conflict === 'exists';
      if (!isTaken || attempt >= MAX_NAMES) throw error;
    }
  }
}
