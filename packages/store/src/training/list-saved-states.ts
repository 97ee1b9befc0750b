import type { Store } from '../database/store.ts';

/** Weights and optimiser after a step of a run, as far as they were not deleted. */
export interface SavedState {
  step: number;
  statePath: string;
  weightsPath: string | null;
  /** How it did in an evaluation, when there was one. */
  evaluation: number | null;
}

/**
 * What training can go on from, the newest step first: checkpoints, and states that an engine saved together with weights to
 * sample from. A run that was reset shows those of its newest incarnation where a step was made in both.
 */
export async function listSavedStates(options: {
  store: Store;
  tenantId: string;
  runId: string;
}): Promise<SavedState[]> {
  const { store, tenantId, runId } = options;
  const checkpoints = await store.db
    .selectFrom('checkpoints')
    .select(['step', 'state_path', 'weights_path', 'evaluation'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .execute();
  const steps = await store.db
    .selectFrom('steps')
    .select(['step', 'state_path', 'weights_path'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('state_path', 'is not', null)
    .where('state', '!=', 'lost')
    .orderBy('started_at', 'desc')
    .execute();
  const found = new Map<number, SavedState>();
  for (const row of [...checkpoints, ...steps.map((step) => ({ ...step, evaluation: null }))]) {
    const { step, state_path: statePath, weights_path: weightsPath, evaluation } = row;
    if (statePath !== null && !found.has(step)) found.set(step, { step, statePath, weightsPath, evaluation });
  }
  return [...found.values()].toSorted((left, right) => right.step - left.step);
}
