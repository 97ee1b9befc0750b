import type { Recipe } from '@lachesis/protocol';
import {
  findDataset,
  findModelByPath,
  findSavedState,
  recordModelEvaluation,
  registerModel,
  type CheckpointList,
  type JsonObject,
  type ModelVersion,
  type Store,
} from '@lachesis/store';

type CheckpointRecord = Awaited<ReturnType<CheckpointList['list']>>[number];

/** How the checkpoints of a run become versions of a model. Each call may be made again: what is there stays as it is. */
export interface CheckpointModels {
  /** Registers those that are in no registry yet, the oldest first, with how they did in evaluations. */
  register(checkpoints: readonly CheckpointRecord[], baseModel: string): Promise<void>;
  /** Registers weights that a run ends with and that are no checkpoint of it. */
  registerEnd(end: { step: number; weightsPath: string; baseModel: string }): Promise<void>;
}

/** Settings of an environment that nobody is to read in the registry. */
const SECRET = /api_?key|secret|password|access_?token/i;

/** What an evaluation by the environment of the run is called in the registry. */
const EVALUATION = 'run/evaluation';

export function createCheckpointModels(options: {
  store: Store;
  tenantId: string;
  /** Name of the run. */
  run: string;
  recipe: Recipe;
  /** The path of the state that the run began with. */
  start?: string | undefined;
}): CheckpointModels {
  const { store, tenantId, run, recipe, start } = options;
  const { tinker } = recipe;
  const scope = { store, tenantId };
  const registered = new Map<string, ModelVersion>();

  async function registerWeights(weights: {
    step: number;
    weightsPath: string;
    statePath: string | null;
    baseModel: string;
    isFinal: boolean;
  }): Promise<ModelVersion> {
    const { step, weightsPath, statePath, baseModel, isFinal } = weights;
    const { method = 'grpo', dataset, reward_model: rewardModel } = tinker.lineage ?? {};
    const set = dataset ? await findDataset({ ...scope, ref: dataset }) : undefined;
    return await registerModel({
      ...{ ...scope, name: tinker.model_name ?? run, baseModel, method, weightsPath, statePath, run, step },
      parent: await findParent(),
      dataset: set === undefined ? null : { name: set.name, version: set.version, digest: set.content_digest },
      rewardModel: rewardModel ?? null,
      config: describeRecipe(recipe, { isFinal }),
    });
  }

  /** The registered model whose state the run began with. */
  async function findParent(): Promise<string | null> {
    if (tinker.lineage?.parent) return tinker.lineage.parent;
    if (start === undefined) return null;
    return (await findModelByPath({ ...scope, path: start }))?.modelVersionId ?? null;
  }

  return {
    async register(checkpoints, baseModel) {
      const inOrder = checkpoints.toSorted((left, right) => left.step - right.step);
      for (const { step, weightsPath, statePath, isFinal, evaluation } of inOrder) {
        if (weightsPath === null) continue;
        const known = registered.get(weightsPath);
        const version = known ?? (await registerWeights({ step, weightsPath, statePath, baseModel, isFinal }));
        registered.set(weightsPath, version);
        if (evaluation === null) continue;
        await recordModelEvaluation({
          ...{ ...scope, ref: version.modelVersionId, name: EVALUATION, content: { score: evaluation } },
        });
      }
    },
    async registerEnd({ step, weightsPath, baseModel }) {
      const statePath = (await findSavedState({ ...scope, weightsPath })) ?? null;
      await registerWeights({ step, weightsPath, statePath, baseModel, isFinal: true });
    },
  };
}

/** What it takes to make the run again. Keys stay where they were given. */
function describeRecipe({ environment, env, tinker }: Recipe, facts: { isFinal: boolean }): JsonObject {
  const { lineage, ...settings } = tinker;
  const config = { environment, env, tinker: settings, is_final: facts.isFinal, reward: lineage?.reward };
  const text = JSON.stringify(config, (name, value: unknown) => (SECRET.test(name) ? undefined : value));
  return JSON.parse(text) as JsonObject;
}
