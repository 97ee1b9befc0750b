import { TinkerValidationError } from '../errors/server-errors.ts';
import type { InvalidField } from '../errors/server-errors.ts';

/** The numbers of one step of AdamW, such as `learningRate`. */
export interface OptimizerParams {
  learningRate: number;
  /** Default 0.9. */
  beta1?: number;
  /** Default 0.95. */
  beta2?: number;
  /** Default 1e-12. */
  eps?: number;
  /** Decoupled; default 0. */
  weightDecay?: number;
  /** The largest global norm of the gradient; 0, the default, does not clip. */
  gradClipNorm?: number;
}

/** Everything is sent: servers disagree about the defaults. */
export function optimizerToJson(params: OptimizerParams): Record<string, number> {
  const { learningRate, beta1 = 0.9, beta2 = 0.95, eps = 1e-12, weightDecay = 0, gradClipNorm = 0 } = params;
  const fields: InvalidField[] = [];
  for (const [field, value] of Object.entries({ learningRate, beta1, beta2, eps, weightDecay, gradClipNorm })) {
    if (!Number.isFinite(value) || value < 0) fields.push({ field, reason: `is ${value}, not a number from 0 up` });
  }
  if (fields.length > 0) throw new TinkerValidationError({ operation: 'optim_step', fields });
  return {
    learning_rate: learningRate,
    beta1,
    beta2,
    eps,
    weight_decay: weightDecay,
    grad_clip_norm: gradClipNorm,
  };
}
