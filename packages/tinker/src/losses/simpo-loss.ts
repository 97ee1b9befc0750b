import { checkSetting } from './check-logprobs.ts';
import type { CustomLoss } from './custom-loss.ts';
import { checkLabelSmoothing } from './dpo-loss.ts';
import { judgeLogistic } from './judge-logistic.ts';
import { pairwiseLoss } from './pairwise-loss.ts';
import type { PairOptions } from './pairwise-loss.ts';

export interface SimpoOptions extends PairOptions {
  /** Scale of the mean logprob. Default 2. */
  beta?: number;
  /** Margin by which chosen has to win, in units of the scaled score. Default 1. */
  gamma?: number;
  /** Share of preferences taken to be the wrong way round, 0 to below 0.5. Default 0. */
  labelSmoothing?: number;
}

/** SimPO, which needs no reference: −log σ(β·(mean logprob of chosen − mean logprob of rejected) − γ). */
export function createSimpoLoss({ beta = 2, gamma = 1, labelSmoothing = 0, ...pairs }: SimpoOptions = {}): CustomLoss {
  checkSetting({ loss: 'simpo', name: 'beta', value: beta, above: 0 });
  checkSetting({ loss: 'simpo', name: 'gamma', value: gamma });
  checkLabelSmoothing('simpo', labelSmoothing);
  return (input) =>
    pairwiseLoss({
      ...pairs,
      name: 'simpo',
      input,
      score: 'mean',
      rewardScale: beta,
      judge: (difference) => {
        const { loss, slope } = judgeLogistic(beta * difference - gamma, labelSmoothing);
        return { loss, slope: beta * slope };
      },
    });
}
