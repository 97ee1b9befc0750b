import type { JsonValue } from '../events/canonical-json.ts';
import type { ModelEvaluationsTable, ModelPromotionsTable, ModelVersionsTable } from '../schema/models.ts';

/** How the weights were made. */
export const MODEL_METHODS = ['base', 'sft', 'dpo', 'kto', 'reward', 'rlhf', 'grpo'] as const;

export type ModelMethod = (typeof MODEL_METHODS)[number];

/** An object that can be stored as JSON, such as what is known about a model. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The version of a data set that a model learned from. */
export interface ModelDataset {
  name: string;
  version: number;
  /** `content_digest` of the version. */
  digest: string;
}

/** How a version did in one evaluation. */
export interface ModelEvaluation {
  evaluationId: string;
  /** What was measured, such as `improve/held-out`. */
  name: string;
  content: JsonObject;
  createdAt: number;
}

/** One registered version of a named model. Its list of evaluations grows, and its weights may be deleted; nothing else changes. */
export interface ModelVersion {
  name: string;
  version: number;
  modelVersionId: string;
  baseModel: string;
  method: ModelMethod;
  /** A `tinker://` path to sample from; empty for the base model itself. */
  weightsPath: string;
  /** Where training can go on from. */
  statePath: string | null;
  run: string | null;
  step: number | null;
  /** `modelVersionId` of the version it was trained from. */
  parent: string | null;
  dataset: ModelDataset | null;
  config: JsonObject;
  /** The oldest first. */
  evaluations: ModelEvaluation[];
  createdAt: number;
  /** When the run that made it deleted its weights, because it keeps only so many; null while they are there. */
  weightsDeletedAt: number | null;
}

export const PROMOTION_KINDS = ['promoted', 'rolled-back'] as const;

/** One change of what a name serves. */
export interface ModelPromotion {
  name: string;
  /** 1, 2, 3, … in the order of the changes. */
  ordinal: number;
  kind: (typeof PROMOTION_KINDS)[number];
  /** What is served from here on. */
  version: number;
  modelVersionId: string;
  reason: string;
  by: string;
  at: number;
}

export function toModelVersion(
  row: ModelVersionsTable,
  evaluations: readonly ModelEvaluationsTable[],
  weightsDeletedAt: number | null = null,
): ModelVersion {
  return {
    name: row.name,
    version: row.version,
    modelVersionId: row.model_version_id,
    baseModel: row.base_model,
    method: row.method as ModelMethod,
    weightsPath: row.weights_path,
    statePath: row.state_path,
    run: row.run,
    step: row.step,
    parent: row.parent,
    dataset: row.dataset === null ? null : (JSON.parse(row.dataset) as ModelDataset),
    config: JSON.parse(row.config) as JsonObject,
    evaluations: evaluations.map((one) => toModelEvaluation(one)),
    createdAt: row.created_at,
    weightsDeletedAt,
  };
}

export function toModelEvaluation(row: ModelEvaluationsTable): ModelEvaluation {
  return {
    evaluationId: row.evaluation_id,
    name: row.name,
    content: JSON.parse(row.content) as JsonObject,
    createdAt: row.created_at,
  };
}

export function toModelPromotion(row: ModelPromotionsTable): ModelPromotion {
  return {
    name: row.name,
    ordinal: row.ordinal,
    kind: row.kind as ModelPromotion['kind'],
    version: row.version,
    modelVersionId: row.model_version_id,
    reason: row.reason,
    by: row.author,
    at: row.at,
  };
}
