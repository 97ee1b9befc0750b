import type { RegisteredModel, RegisteredPromotion } from '@lachesis/protocol';

/** A model as `--json` prints it. */
export function toModelJson(model: RegisteredModel): object {
  return {
    name: model.name,
    version: model.version,
    modelVersionId: model.model_version_id,
    baseModel: model.base_model,
    method: model.method,
    weightsPath: model.weights_path,
    statePath: model.state_path,
    run: model.run,
    step: model.step,
    parent: model.parent,
    dataset: model.dataset,
    config: model.config,
    evaluations: model.evaluations.map(({ evaluation_id: evaluationId, name, content, created_at: createdAt }) => ({
      ...{ evaluationId, name, content, createdAt },
    })),
    createdAt: model.created_at,
    weightsDeletedAt: model.weights_deleted_at ?? null,
  };
}

/** A change of what a name serves as `--json` prints it. */
export function toPromotionJson(promotion: RegisteredPromotion): object {
  const { name, ordinal, kind, version, model_version_id: modelVersionId, reason, by, at } = promotion;
  return { name, ordinal, kind, version, modelVersionId, reason, by, at };
}
