import type { OptimizerParams } from '@lachesis/tinker';
import { learningRateAt } from '../learning-rate.ts';
import type { RecordTrainingSettings } from './settings.ts';

/** The optimiser of a step, as the settings have it. */
export function optimizerOf(
  settings: RecordTrainingSettings,
  { step, totalSteps }: { step: number; totalSteps: number },
): Required<OptimizerParams> {
  return {
    learningRate: learningRateAt({ section: settings, step, totalSteps }),
    beta1: settings.beta1,
    beta2: settings.beta2,
    eps: settings.eps,
    weightDecay: settings.weight_decay,
    gradClipNorm: settings.grad_clip_norm,
  };
}
