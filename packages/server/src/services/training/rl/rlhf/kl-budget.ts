import type { TrainerSection } from '@lachesis/protocol';
import type { EngineModel } from '../../engine/engine.ts';
import type { PreparedBatch } from '../batch-source.ts';
import type { ConvertedBatch } from '../datums/convert-batch.ts';
import type { BatchHook } from '../loop.ts';
import type { TrainerDeps } from '../deps.ts';
import { publishPolicy } from '../publish-policy.ts';
import { openReference, type Reference } from './open-reference.ts';
import { penaliseKl, type KlFacts } from './penalise-kl.ts';

/** Published weights, and the step they came after. */
interface PublishedWeights {
  step: number;
  weightsPath: string;
}

export interface KlBudget extends BatchHook {
  /** Ends with the last weights that were measured within the budget: what went too far is not what is served. */
  endRun(end: { detail: string; policyVersion: number; signal: AbortSignal }): Promise<void>;
  /** Frees the place of the start weights in the engine. */
  close(): Promise<void>;
}

/** Whether a run measures its distance from the weights it began with. */
export const measuresKl = ({ kl_coefficient: coefficient, kl_budget: budget }: TrainerSection): boolean =>
  coefficient > 0 || typeof budget === 'number';

/**
 * The hook of RLHF: each batch is weighed by its distance from the start weights, and one beyond the budget ends the run.
 * Undefined for a recipe that asks for neither.
 */
export async function openKlBudget(options: {
  deps: TrainerDeps;
  model: EngineModel;
  /** The last publications of this run, the oldest first. */
  policies: readonly { step: number | null; weightsPath: string | null }[];
  /** The last step that is in the weights. */
  step: number;
}): Promise<KlBudget | undefined> {
  const { deps, model, policies, step: lastStep } = options;
  const { recipe, engine, status, log } = deps;
  if (!measuresKl(recipe.tinker)) return undefined;
  const reference = await openReference({ engine, trained: model.model.modelId, log });
  /** What was served, by version: a batch is measured after the weights that sampled it. */
  const served = new Map<number, PublishedWeights>();
  /** The newest weights that sampled a batch within the KL budget; an earlier process trained on none beyond it. */
  let within = findTrainedFrom(policies, lastStep);
  return {
    async prepare(batch) {
      const { policy_version: version, weights_path: weightsPath, step } = status;
      if (weightsPath !== null) served.set(version, { step, weightsPath });
      const { converted, kl, overBudget } = await penalizeDrift({
        reference,
        converted: batch.converted,
        section: recipe.tinker,
      });
      if (overBudget !== undefined) return { end: { reason: 'the KL budget is spent', detail: overBudget } };
      within = served.get(newestSampler(batch) ?? version) ?? within;
      return { batch: { ...batch, converted }, kl };
    },
    async endRun({ detail, policyVersion, signal }) {
      const isBack = within !== undefined && within.weightsPath !== status.weights_path;
      if (within !== undefined && isBack) {
        const { baseModel } = model.model;
        await publishPolicy(deps, { ...within, version: policyVersion + 1, baseModel }, signal);
      }
      status.state = 'finished';
      status.ended_by = 'kl-budget';
      status.detail =
        `ended after step ${status.step} of ${recipe.env.total_steps}: ${detail}. ` +
        `The weights are ${status.weights_path ?? 'those of the base model'}` +
        (within !== undefined && isBack
          ? `, of step ${within.step}, the last ones within it.`
          : ', the newest ones; none were measured within it.');
      log.warn({ step: status.step, weights: status.weights_path }, status.detail);
    },
    close: () => reference.close(),
  };
}

/** Weighs a batch by its distance from the start weights. It touches nothing that has to be taken back. */
export async function penalizeDrift(options: {
  reference: Reference;
  converted: ConvertedBatch;
  section: TrainerSection;
}): Promise<{
  converted: ConvertedBatch;
  kl: KlFacts;
  /** The sentence that ends the run, when the budget is spent. */
  overBudget: string | undefined;
}> {
  const { reference, converted, section } = options;
  const { sequences, kl } = penaliseKl({
    sequences: converted.sequences,
    reference: await reference.logprobs(converted.sequences),
    coefficient: section.kl_coefficient,
    estimator: section.kl_estimator,
  });
  const { kl_budget: budget } = section;
  return {
    converted: { ...converted, sequences },
    kl,
    // Not "greater than": a distance that is no number is no distance within the budget.
    overBudget:
      typeof budget !== 'number' || kl.sequence <= budget
        ? undefined
        : `replies are ${kl.sequence.toFixed(3)} nats away from the weights the run began with, and its KL budget is ${budget}`,
  };
}

/** The last published weights that a step up to this one came after. */
function findTrainedFrom(
  policies: readonly { step: number | null; weightsPath: string | null }[],
  step: number,
): PublishedWeights | undefined {
  return policies
    .flatMap(({ step: made, weightsPath }) =>
      made === null || weightsPath === null || made >= step ? [] : [{ step: made, weightsPath }],
    )
    .at(-1);
}

/** The newest version that sampled a sequence of a batch; undefined where the environment does not say. */
const newestSampler = ({ converted }: PreparedBatch): number | undefined =>
  converted.sequences
    .flatMap(({ versions }) => versions?.newest ?? [])
    .reduce<number | undefined>((newest, version) => Math.max(newest ?? version, version), undefined);
