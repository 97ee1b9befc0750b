import type { z } from 'zod';
import { createIdSource, improvePlanSchema, type ImprovePlan } from '@lachesis/protocol';
import { startImprovement, type Improvement, type JsonObject, type Store } from '@lachesis/store';
import { IMPROVE_STAGES } from './stages.ts';
import { chooseFilters } from './own-trajectories.ts';
import { runImprovement, type ImproveProgress } from './run-improvement.ts';
import { openSystemProcesses } from '../runs/supervisor/system-processes.ts';
import { createImproveDeps, type ImproveDepsOptions } from './create-deps.ts';
import { countRatings, readWatermark } from './last-improvement.ts';

export interface ImproveOptions extends ImproveDepsOptions {
  readonly improvementId: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImproveProgress) => void) | undefined;
}

/** Writes down what is wanted, or finds the improvement of the model that is open. */
export function beginImprovement(options: {
  store: Store;
  tenantId: string;
  plan: z.input<typeof improvePlanSchema>;
  /** Null: the one who begins it brings it on. */
  runner?: Improvement['runner'];
}): Promise<{ improvement: Improvement; isNew: boolean }> {
  const { store, tenantId, runner = null } = options;
  const plan = improvePlanSchema.parse(options.plan);
  return startImprovement({
    ...{ store, tenantId, model: plan.model, stage: IMPROVE_STAGES[0], runner },
    plan: JSON.parse(JSON.stringify(plan)) as JsonObject,
  });
}

/** Brings an improvement to its end, from wherever an earlier process left it. */
export function improveModel(options: ImproveOptions): Promise<Improvement> {
  const { store, tenantId, improvementId, signal, onProgress } = options;
  const processes = openSystemProcesses();
  return runImprovement({
    ...{ store, tenantId, improvementId, deps: createImproveDeps(options) },
    // One process may ask twice: then the first part of its name differs.
    holder: `${createIdSource().next()}@${processes.self()}`,
    isGone: (other) => processes.isGone(other.slice(other.indexOf('@') + 1)),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

/** Ratings since the improvement before: what decides whether there is something to learn. */
export async function countNewRatings(options: { store: Store; tenantId: string; plan: ImprovePlan }): Promise<number> {
  const { store, tenantId, plan } = options;
  const since = await readWatermark({ store, tenantId, model: plan.model });
  return countRatings({ store, tenantId, filters: await chooseFilters(options), since });
}
