import { lastStepOf, readAlgorithm, type TrainerSection } from '@lachesis/protocol';
import type { EngineModel } from '../../engine/engine.ts';
import type { PreparedBatch } from '../batch-source.ts';
import type { ConvertedBatch } from '../datums/convert-batch.ts';
import type { BatchHook } from '../loop.ts';
import type { TrainerDeps } from '../deps.ts';
import { NO_OWN_CODE, type OwnCode } from '../own-code/own-code.ts';
import { publishPolicy } from '../publish-policy.ts';
import type { Reference } from './open-reference.ts';
import { openResettingReference } from './resetting-reference.ts';
import { penaliseKl, type KlFacts } from './penalise-kl.ts';

/** Published weights, and the step they came after. */
interface PublishedWeights {
  step: number;
  weightsPath: string;
}

export interface KlBudget extends BatchHook {
  /** Ends with the last weights that were measured within the budget: what went too far is not what is served. Their step. */
  endRun(end: { detail: string; policyVersion: number; signal: AbortSignal }): Promise<{ step: number }>;
  /** Frees the place of the start weights in the engine. */
  close(): Promise<void>;
}

/** Whether a run measures its distance from the weights it began with. */
export const measuresKl = (section: TrainerSection, own: OwnCode = NO_OWN_CODE): boolean =>
  readAlgorithm(section).klCoefficient > 0 ||
  typeof section.kl_budget === 'number' ||
  own.loss?.needsReference === true;

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
  if (!measuresKl(recipe.tinker, deps.own)) return undefined;
  const reference = await openResettingReference({
    ...{ engine, model, log, record: deps.reference, wallClock: deps.wallClock },
    resetSteps: recipe.tinker.kl_reference_reset_steps ?? undefined,
  });
  /** What was served, by version: a batch is measured after the weights that sampled it. */
  const served = new Map<number, PublishedWeights>();
  /** The newest weights that sampled a batch within the KL budget; an earlier process trained on none beyond it. */
  let within = findTrainedFrom(policies, lastStep);
  return {
    async prepare(batch) {
      const { policy_version: version, weights_path: weightsPath, step } = status;
      if (weightsPath !== null) served.set(version, { step, weightsPath });
      await reference.prepare(batch.step);
      const { converted, kl, overBudget, inLoss } = await penalizeDrift({
        reference,
        converted: batch.converted,
        section: recipe.tinker,
        isWanted: deps.own.loss?.needsReference,
      });
      if (overBudget !== undefined) return { end: { reason: 'the KL budget is spent', detail: overBudget } };
      within = served.get(newestSampler(batch) ?? version) ?? within;
      return { batch: { ...batch, converted }, kl, reference: inLoss };
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
        `ended after step ${status.step} of ${lastStepOf(recipe)}: ${detail}. ` +
        `The weights are ${status.weights_path ?? 'those of the base model'}` +
        (within !== undefined && isBack
          ? `, of step ${within.step}, the last ones within it.`
          : ', the newest ones; none were measured within it.');
      log.warn({ step: status.step, weights: status.weights_path }, status.detail);
      return { step: within !== undefined && isBack ? within.step : status.step };
    },
    close: () => reference.close(),
  };
}

/** Weighs a batch by its distance from the start weights. It touches nothing that has to be taken back. */
export async function penalizeDrift(options: {
  reference: Reference;
  converted: ConvertedBatch;
  section: TrainerSection;
  /** Whether the loss looks at the start weights whatever the recipe says of KL. */
  isWanted?: boolean | undefined;
}): Promise<{
  converted: ConvertedBatch;
  kl: KlFacts;
  /** The sentence that ends the run, when the budget is spent. */
  overBudget: string | undefined;
  /** The log probabilities under the start weights, where the loss looks at them. */
  inLoss: readonly Float32Array[] | undefined;
}> {
  const { reference, converted, section, isWanted = false } = options;
  const { klCoefficient, klEstimator: estimator, klIn } = readAlgorithm(section);
  const logprobs = await reference.logprobs(converted.sequences);
  const { sequences, kl } = penaliseKl({
    ...{ sequences: converted.sequences, reference: logprobs, estimator },
    coefficient: klIn === 'loss' ? 0 : klCoefficient,
  });
  const { kl_budget: budget } = section;
  return {
    converted: { ...converted, sequences },
    kl,
    inLoss: isWanted || (klIn === 'loss' && klCoefficient > 0) ? logprobs : undefined,
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
