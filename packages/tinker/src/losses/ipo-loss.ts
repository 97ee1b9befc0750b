import { checkSetting } from './check-logprobs.ts';
import type { CustomLoss, Logprobs } from './custom-loss.ts';
import { pairwiseLoss } from './pairwise-loss.ts';
import type { PairOptions } from './pairwise-loss.ts';

export interface IpoOptions extends PairOptions {
  /** Logprobs of the same targets under the reference model, one array per datum. */
  reference: readonly Logprobs[];
  /** Regularisation τ of the paper: the log-ratio difference is drawn to 1/(2β). Default 0.1. */
  beta?: number;
  /** `sum` as in the paper, or `mean` over tokens as some libraries do. Default `sum`. */
  score?: 'sum' | 'mean';
}

/** Identity preference optimisation: the squared distance of the log-ratio difference from 1/(2β). */
export function createIpoLoss({ reference, beta = 0.1, score = 'sum', ...pairs }: IpoOptions): CustomLoss {
  checkSetting({ loss: 'ipo', name: 'beta', value: beta, above: 0 });
  const target = 1 / (2 * beta);
  return (input) =>
    pairwiseLoss({
      ...pairs,
      name: 'ipo',
      input,
      reference,
      score,
      rewardScale: beta,
      judge: (difference) => ({ loss: (difference - target) ** 2, slope: 2 * (difference - target) }),
    });
}
