import type { TrainerSection } from '@lachesis/protocol';

/** What a recipe says about teachers. */
export interface Distillation {
  /** Whether the recipe names one, so that every group has a teacher. */
  hasTeacher: boolean;
  coefficient: number;
  /** Whether scores count beside the word of a teacher. */
  countsReward: boolean;
}

export function readDistillation(
  section: Pick<TrainerSection, 'distill_coefficient' | 'distill_reward' | 'teacher'>,
): Distillation {
  const { teacher, distill_coefficient: coefficient, distill_reward: countsReward } = section;
  return { hasTeacher: (teacher ?? undefined) !== undefined && coefficient > 0, coefficient, countsReward };
}
