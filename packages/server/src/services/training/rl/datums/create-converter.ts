import { readAlgorithm, type Recipe } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';
import { type BatchEstimator, findEstimator } from '../advantages.ts';
import { readDistillation } from '../distill/read-distillation.ts';
import { TrainerError } from '../../trainer-error.ts';
import { describeFailure } from '../own-code/describe-failure.ts';
import { NO_OWN_CODE, type OwnCode } from '../own-code/own-code.ts';
import { toEstimator } from '../own-code/to-estimator.ts';
import { createScoreShaper } from '../rlhf/shape-scores.ts';
import { convertBatch, type ConvertedBatch } from './convert-batch.ts';

/** Turns the groups of a batch into datums, as the recipe asks for it. */
export function createConverter(
  recipe: Recipe,
  own: OwnCode = NO_OWN_CODE,
): (groups: readonly GroupPayload[]) => ConvertedBatch {
  const { advantage, klCoefficient, entropyCoefficient, overlongFilter, overlongBuffer } = readAlgorithm(recipe.tinker);
  const longest = recipe.tinker.overlong_length ?? recipe.env.max_token_length;
  const estimate =
    own.advantage === undefined ? findEstimator(advantage) : guard(toEstimator(own.advantage), advantage);
  if (estimate === undefined) {
    throw new TrainerError({
      kind: 'settings',
      message: `There is no advantage ${advantage}. Look at the section tinker.`,
    });
  }
  const distillation = readDistillation(recipe.tinker);
  const overlong = overlongBuffer === 0 ? undefined : { length: longest, buffer: overlongBuffer * longest };
  const shape = createScoreShaper({ ...recipe.tinker, overlong });
  return (groups) =>
    convertBatch({
      ...{ groups, estimate, shape },
      maxTokens: recipe.tinker.max_token_trainer_length,
      // Something other than their scores moves them.
      includesEqualGroups:
        klCoefficient > 0 || entropyCoefficient !== 0 || own.loss?.keepsEqualGroups === true || distillation.hasTeacher,
      overlongTokens: overlongFilter ? longest : undefined,
      distillation: distillation.coefficient > 0 ? distillation : undefined,
    });
}

const guard = ({ estimateBatch }: BatchEstimator, file: string): BatchEstimator => ({
  estimateBatch(groups) {
    try {
      return estimateBatch(groups);
    } catch (error) {
      throw describeFailure({ key: 'advantage', file }, 'on a batch of the run', error);
    }
  },
});
