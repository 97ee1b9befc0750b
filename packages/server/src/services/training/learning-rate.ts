import type { TrainerSection } from '@lachesis/protocol';

export interface LearningRateOptions {
  section: Pick<TrainerSection, 'final_learning_rate_fraction' | 'learning_rate' | 'lr_schedule' | 'warmup_steps'>;
  /** From 1 on. */
  step: number;
  totalSteps: number;
}

/**
 * The learning rate of a step: a linear warm-up to the highest, then constant, linear or cosine down to a fraction of it at
 * the last step. What goes down to nothing gets there behind the last step, which else would learn nothing.
 */
export function learningRateAt({ section, step: at, totalSteps }: LearningRateOptions): number {
  const { learning_rate: top, lr_schedule: schedule } = section;
  // A warm-up longer than the run reaches the top with the last step, and a run longer than planned stays where the plan ends.
  const warmup = Math.min(section.warmup_steps, totalSteps);
  const step = Math.min(at, totalSteps);
  if (step <= warmup) return (top * step) / warmup;
  if (schedule === 'constant') return top;
  const bottom = top * section.final_learning_rate_fraction;
  const span = Math.max(1, totalSteps - warmup - (bottom > 0 ? 1 : 0));
  const progress = Math.min(1, Math.max(0, (step - warmup - 1) / span));
  const share = schedule === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return bottom + (top - bottom) * share;
}
