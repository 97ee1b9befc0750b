import type { TrainerSection } from '@lachesis/protocol';

export interface LearningRateOptions {
  section: Pick<TrainerSection, 'final_learning_rate_fraction' | 'learning_rate' | 'lr_schedule' | 'warmup_steps'>;
  /** From 1 on. */
  step: number;
  totalSteps: number;
}

/** The learning rate of a step: a linear warm-up, then constant, linear or cosine down to a fraction of the highest. */
export function learningRateAt({ section, step, totalSteps }: LearningRateOptions): number {
  const { learning_rate: top, warmup_steps: warmup, lr_schedule: schedule } = section;
  if (step <= warmup) return (top * step) / (warmup + 1);
  if (schedule === 'constant') return top;
  const span = Math.max(1, totalSteps - warmup - 1);
  const progress = Math.min(1, Math.max(0, (step - warmup - 1) / span));
  const bottom = top * section.final_learning_rate_fraction;
  const share = schedule === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return bottom + (top - bottom) * share;
}
