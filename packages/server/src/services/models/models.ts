import {
  LachesisError,
  type modelEvaluationSchema,
  type modelChangeSchema,
  type ModelDetail,
  type RegisteredModel,
  type RegisteredPromotion,
} from '@lachesis/protocol';
import {
  findModel,
  listModels,
  listPromotions,
  ModelMissingError,
  ModelRefusedError,
  promoteModel,
  readLastPromotion,
  recordModelEvaluation,
  rollbackModel,
  type JsonObject,
  type ModelVersion,
} from '@lachesis/store';
import type { z } from 'zod';
import { modelMissing, nameOf, needModel, type ModelScope } from './find-start.ts';

type ModelPromotion = Awaited<ReturnType<typeof promoteModel>>;

type Change = z.output<typeof modelChangeSchema>;

/** Models, the newest version of each name first. */
export async function listRegisteredModels({
  name,
  ...scope
}: ModelScope & { name?: string | undefined }): Promise<RegisteredModel[]> {
  const models = await listModels({ ...scope, ...(name === undefined ? {} : { name }) });
  const served = new Map<string, string | undefined>();
  for (const each of new Set(models.map((model) => model.name))) {
    served.set(each, (await readLastPromotion({ ...scope, name: each }))?.modelVersionId);
  }
  return models.map((model) => describeModel(model, served.get(model.name)));
}

/** One model, what it was made from, and the history of what its name serves. */
export async function showModel(options: ModelScope & { ref: string }): Promise<ModelDetail> {
  const model = await needModel(options);
  const promotions = await listPromotions({ ...options, name: model.name });
  const parent = model.parent === null ? undefined : await findModel({ ...options, ref: model.parent });
  return {
    model: describeModel(model, promotions.at(-1)?.modelVersionId),
    parent_name: parent === undefined ? null : nameOf(parent),
    promotions: promotions.map((promotion) => describePromotion(promotion)),
  };
}

/** Makes a version the one its name serves: the newest of a name, `name@version`, or the one with an id. */
export async function promoteRegisteredModel(
  options: ModelScope & { ref: string; change: Change },
): Promise<RegisteredPromotion> {
  const { name, version } = await needModel(options);
  return describePromotion(await refusing(promoteModel({ ...options, name, version, ...options.change })));
}

/** Goes back to what a name served before its last promotion. */
export async function rollBackModel(
  options: ModelScope & { name: string; change: Change },
): Promise<RegisteredPromotion> {
  return describePromotion(await refusing(rollbackModel({ ...options, ...options.change })));
}

/** Keeps what was measured of a model with it. The same result under the same name is the one that is there. */
export async function saveEvaluation(
  options: ModelScope & { ref: string; evaluation: z.output<typeof modelEvaluationSchema> },
): Promise<ModelDetail> {
  const { modelVersionId } = await needModel(options);
  const { name, content } = options.evaluation;
  await recordModelEvaluation({ ...options, ref: modelVersionId, name, content: content as JsonObject });
  return await showModel({ ...options, ref: modelVersionId });
}

async function refusing(change: Promise<ModelPromotion>): Promise<ModelPromotion> {
  try {
    return await change;
  } catch (error) {
    if (ModelMissingError.isInstance(error)) throw modelMissing(error.ref);
    if (!ModelRefusedError.isInstance(error)) throw error;
    throw new LachesisError({ code: 'conflict', message: error.message, cause: error });
  }
}

const describeModel = (model: ModelVersion, servedId: string | undefined): RegisteredModel => ({
  name: model.name,
  version: model.version,
  model_version_id: model.modelVersionId,
  base_model: model.baseModel,
  method: model.method,
  weights_path: model.weightsPath,
  state_path: model.statePath,
  run: model.run,
  step: model.step,
  parent: model.parent,
  dataset: describeDataset(model.dataset),
  config: model.config,
  evaluations: model.evaluations.map(({ evaluationId, name, content, createdAt }) => ({
    ...{ evaluation_id: evaluationId, name, content, created_at: createdAt },
  })),
  created_at: model.createdAt,
  is_promoted: model.modelVersionId === servedId,
  weights_deleted_at: model.weightsDeletedAt,
});

const describeDataset = (dataset: ModelVersion['dataset']): RegisteredModel['dataset'] =>
  dataset === null ? null : { name: dataset.name, version: dataset.version, digest: dataset.digest };

const describePromotion = ({ modelVersionId, ...promotion }: ModelPromotion): RegisteredPromotion => ({
  ...promotion,
  model_version_id: modelVersionId,
});
