import { checkSetting } from './check-logprobs.ts';
import type { CustomLoss, Logprobs } from './custom-loss.ts';
import { judgeLogistic } from './judge-logistic.ts';
import { LossInputError } from './loss-input-error.ts';
import { pairwiseLoss } from './pairwise-loss.ts';
import type { PairOptions } from './pairwise-loss.ts';

export interface DpoOptions extends PairOptions {
  /** Logprobs of the same targets under the reference model, one array per datum. */
  reference: readonly Logprobs[];
  /** How far the policy may move away from the reference: smaller is further. Default 0.1. */
  beta?: number;
  /** Share of preferences taken to be the wrong way round, 0 to below 0.5. Default 0. */
  labelSmoothing?: number;
}

/** Direct preference optimisation: −log σ(β·(log-ratio of chosen − log-ratio of rejected)). */
export function createDpoLoss({ reference, beta = 0.1, labelSmoothing = 0, ...pairs }: DpoOptions): CustomLoss {
  checkSetting({ loss: 'dpo', name: 'beta', value: beta, above: 0 });
  checkLabelSmoothing('dpo', labelSmoothing);
  return (input) =>
    pairwiseLoss({
      ...pairs,
      name: 'dpo',
      input,
      reference,
      score: 'sum',
      rewardScale: beta,
      judge: (difference) => {
        const { loss, slope } = judgeLogistic(beta * difference, labelSmoothing);
        return { loss, slope: beta * slope };
      },
    });
}

/** At 0.5 the two directions cancel at 0 and nothing is learnt; above it the preference is turned round. */
export function checkLabelSmoothing(loss: string, value: number): void {
  if (!(value >= 0 && value < 0.5)) {
    throw new LossInputError({ loss, reason: `labelSmoothing is ${value}; it must be from 0 to below 0.5` });
  }
}
