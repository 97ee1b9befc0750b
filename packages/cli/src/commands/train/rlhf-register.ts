import type { Recipe } from '@lachesis/protocol';
import type { TrainerStatus } from '@lachesis/server';
import { findSavedState, registerModel, type ModelVersion } from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import type { LocalLibrary } from '../../flags/library/local-library.ts';
import type { Grading } from './rlhf-grader.ts';

/** Registers what a run ended with. The same run, ended again with the same weights, is the version that is there. */
export async function registerRlhf(options: {
  library: LocalLibrary;
  run: string;
  status: TrainerStatus | undefined;
  parent: ModelVersion | undefined;
  dataset: DatasetVersion;
  grading: Grading;
  name: string | undefined;
  recipe: Recipe;
}): Promise<ModelVersion | undefined> {
  const { library, run, status, parent, dataset, grading, recipe } = options;
  if (status?.state !== 'finished' || status.weights_path === null) return undefined;
  const { store, tenantId } = library;
  return registerModel({
    store,
    tenantId,
    name: options.name ?? parent?.name ?? run,
    baseModel: status.base_model ?? parent?.baseModel ?? 'unknown',
    method: 'rlhf',
    weightsPath: status.weights_path,
    statePath: (await findSavedState({ store, tenantId, weightsPath: status.weights_path })) ?? null,
    run,
    step: status.step,
    parent: parent?.modelVersionId ?? null,
    dataset: { name: dataset.name, version: dataset.version, digest: dataset.content_digest },
    rewardModel: grading.rewardModel?.modelVersionId ?? null,
    config: {
      reward: grading.name,
      ended_by: status.ended_by,
      metrics: { ...status.metrics },
      tinker: JSON.parse(JSON.stringify(recipe.tinker)) as Record<string, string | number | boolean | null>,
    },
  });
}
