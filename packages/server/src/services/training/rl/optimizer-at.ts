import type { Recipe } from '@lachesis/protocol';
import type { OptimizerParams } from '@lachesis/tinker';
import { learningRateAt } from '../learning-rate.ts';

/** The optimiser of a step, as the recipe has it. */
export function optimizerAt({ tinker, env }: Recipe, step: number): Required<OptimizerParams> {
  return {
    learningRate: learningRateAt({ section: tinker, step, totalSteps: env.total_steps }),
    beta1: tinker.beta1,
    beta2: tinker.beta2,
    eps: tinker.eps,
    weightDecay: tinker.weight_decay,
    gradClipNorm: tinker.grad_clip_norm,
  };
}
