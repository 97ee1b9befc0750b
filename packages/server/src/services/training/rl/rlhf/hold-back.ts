import type { TrainerSection } from '@lachesis/protocol';
import type { ConvertedBatch } from '../datums/convert-batch.ts';
import { penaliseKl, type KlFacts } from './penalise-kl.ts';
import type { Reference } from './open-reference.ts';

/** Whether a run measures its distance from the weights it began with. */
export const measuresKl = ({ kl_coefficient: coefficient, kl_budget: budget }: TrainerSection): boolean =>
  coefficient > 0 || typeof budget === 'number';

export interface HeldBatch {
  converted: ConvertedBatch;
  kl: KlFacts;
  /** The sentence that ends the run, when the budget is spent. */
  overBudget: string | undefined;
}

/** Weighs a batch by its distance from the start weights. It touches nothing that has to be taken back. */
export async function holdBack(options: {
  reference: Reference;
  converted: ConvertedBatch;
  section: TrainerSection;
}): Promise<HeldBatch> {
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
