import type { Recipe } from '@lachesis/protocol';
import { TrainerError } from '../../trainer-error.ts';
import type { ConvertedBatch } from './convert-batch.ts';
import type { TrainingSequence } from './convert-group.ts';

export interface WeighByAgeOptions {
  recipe: {
    env: Pick<Recipe['env'], 'max_batches_offpolicy'>;
    tinker: Pick<Recipe['tinker'], 'max_sample_age' | 'old_samples'>;
  };
  step: number;
  /** Of the weights that are about to be trained. */
  policyVersion: number;
}

/**
 * Leaves out sequences that were sampled too many versions ago, or takes them for less: 1 / (1 + a) of their advantage, a
 * versions beyond what is allowed. A strictly on-policy run leaves out whatever the newest weights did not sample. Which
 * groups are dead and what the advantages of the others are was decided before, by the scores of all.
 */
export function weighByAge(converted: ConvertedBatch, options: WeighByAgeOptions): ConvertedBatch {
  const { recipe, step, policyVersion } = options;
  const isOnPolicy = recipe.env.max_batches_offpolicy === 0;
  const most = isOnPolicy ? 0 : (recipe.tinker.max_sample_age ?? undefined);
  if (most === undefined || converted.sequences.length === 0) return converted;
  const isWeighed = !isOnPolicy && recipe.tinker.old_samples === 'downweight';
  const sequences: TrainingSequence[] = [];
  let [tooOld, downweighted, trainedTokens] = [0, 0, 0];
  for (const sequence of converted.sequences) {
    if (sequence.versions === undefined && isOnPolicy) throw unknownVersion(step);
    // Where nobody says who sampled, nobody can say that it is too old.
    const beyond = sequence.versions === undefined ? 0 : policyVersion - sequence.versions.oldest - most;
    if (beyond > 0 && !isWeighed) {
      tooOld += 1;
      continue;
    }
    if (beyond > 0) downweighted += 1;
    trainedTokens += sequence.trainedTokens;
    sequences.push(beyond > 0 ? scale(sequence, 1 / (1 + beyond)) : sequence);
  }
  if (tooOld === 0 && downweighted === 0) return converted;
  const { facts } = converted;
  return {
    ...converted,
    sequences,
    facts: {
      ...facts,
      trainedTokens,
      ...(downweighted === 0 ? {} : { downweighted }),
      leftOut: tooOld === 0 ? facts.leftOut : { ...facts.leftOut, 'too-old': tooOld },
    },
  };
}

function scale(sequence: TrainingSequence, factor: number): TrainingSequence {
  const { datum } = sequence;
  const advantages = datum.inputs.advantages.map((value) => value * factor);
  return { ...sequence, ageWeight: factor, datum: { ...datum, inputs: { ...datum.inputs, advantages } } };
}

const unknownVersion = (step: number): TrainerError =>
  new TrainerError({
    kind: 'settings',
    message:
      `Groups of step ${step} do not say which policy sampled them, so the run cannot be strictly on-policy. ` +
      'Let the environment sample from our inference server and send policy versions, or set env.max_batches_offpolicy to 1 or more.',
  });
