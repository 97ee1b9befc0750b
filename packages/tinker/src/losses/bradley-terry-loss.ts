import { checkSetting } from './check-logprobs.ts';
import type { CustomLoss } from './custom-loss.ts';
import { judgeLogistic } from './judge-logistic.ts';
import { LossInputError } from './loss-input-error.ts';
import { pairwiseLoss } from './pairwise-loss.ts';
import type { PairOptions } from './pairwise-loss.ts';
import type { SequenceScore } from './score-coefficients.ts';

export interface BradleyTerryOptions extends PairOptions {
  /** The scoring value. `last` reads a verdict token, as a generative reward model gives it. Default `sum`. */
  score?: SequenceScore;
  /** Factor on the difference of scores. Default 1. */
  scale?: number;
  /** Strength of each preference, one number per pair: chosen has to win by that much. */
  margins?: readonly number[];
}

/** Bradley–Terry: −log σ(scale·(score of chosen − score of rejected) − margin). */
export function createBradleyTerryLoss(options: BradleyTerryOptions = {}): CustomLoss {
  const { score = 'sum', scale = 1, margins, ...pairs } = options;
  const name = 'bradley_terry';
  checkSetting({ loss: name, name: 'scale', value: scale, above: 0 });
  for (const value of margins ?? []) checkSetting({ loss: name, name: 'margin', value });
  return (input) =>
    pairwiseLoss({
      ...pairs,
      name,
      input,
      score,
      rewardScale: scale,
      judge: (difference, pair) => {
        const margin = margins === undefined ? 0 : margins[pair];
        if (margin === undefined) throw new LossInputError({ loss: name, reason: `pair ${pair} has no margin` });
        const { loss, slope } = judgeLogistic(scale * difference - margin, 0);
        return { loss, slope: scale * slope };
      },
    });
}
