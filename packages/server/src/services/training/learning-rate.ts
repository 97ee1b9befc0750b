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
export function learningRateAt({ section, step, totalSteps }: LearningRateOptions): number {
  const { learning_rate: top, warmup_steps: warmup, lr_schedule: schedule } = section;
  if (step <= warmup) return (top * step) / warmup;
  if (schedule === 'constant') return top;
  const bottom = top * section.final_learning_rate_fraction;
  const span = Math.max(1, totalSteps - warmup - (bottom > 0 ? 1 : 0));
  const progress = Math.min(1, Math.max(0, (step - warmup - 1) / span));
  const share = schedule === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return bottom + (top - bottom) * share;
}
