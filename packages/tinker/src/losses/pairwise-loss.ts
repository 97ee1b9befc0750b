import { checkLogprobs, zerosLike } from './check-logprobs.ts';
import type { CustomLossInput, CustomLossResult, Logprobs, Reduction } from './custom-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { scoreCoefficients, scoreOf } from './score-coefficients.ts';
import type { SequenceScore } from './score-coefficients.ts';

/** Two datums by their place in the batch, the first preferred to the second. */
export interface PreferencePair {
  readonly chosen: number;
  readonly rejected: number;
}

/** Settings that every loss over pairs has. */
export interface PairOptions {
  /** Default: datums alternate, chosen then rejected. A datum may be in several pairs. */
  pairs?: readonly PreferencePair[];
  /** Default `mean`. */
  reduction?: Reduction;
}

export interface PairwiseLossOptions extends PairOptions {
  /** Name of the loss; it stands in errors and in the metric `<name>_loss`. */
  name: string;
  input: CustomLossInput;
  score: SequenceScore;
  /** Logprobs whose score is subtracted first, one array per datum. */
  reference?: readonly Logprobs[];
  /** Factor between a score and what the metrics call a reward. It does not enter the loss. */
  rewardScale: number;
  /** The loss of one pair from (chosen score − rejected score), with its derivative. */
  judge(difference: number, pair: number): { loss: number; slope: number };
}

/** What DPO, IPO, SimPO and Bradley–Terry have in common: a function of the difference of two sequence scores. */
export function pairwiseLoss(options: PairwiseLossOptions): CustomLossResult {
  const { name, input, score, reference, rewardScale, judge, reduction = 'mean' } = options;
  const { logprobs, datums } = input;
  checkLogprobs({ loss: name, what: 'logprobs', arrays: logprobs, datums });
  if (reference !== undefined) checkLogprobs({ loss: name, what: 'reference', arrays: reference, datums });
  const pairs = options.pairs ?? alternatingPairs(name, datums.length);
  if (pairs.length === 0) throw new LossInputError({ loss: name, reason: 'has no pair' });

  const coefficients = datums.map((datum, index) => scoreCoefficients({ loss: name, datum, index, score }));
  const scores = coefficients.map(
    (own, index) => scoreOf(own, logprobs[index]!) - (reference === undefined ? 0 : scoreOf(own, reference[index]!)),
  );
  const gradients = zerosLike(logprobs);
  const share = reduction === 'mean' ? 1 / pairs.length : 1;
  const totals = { loss: 0, right: 0, chosen: 0, rejected: 0 };
  for (const [place, { chosen, rejected }] of pairs.entries()) {
    const [better, worse] = [scores[chosen], scores[rejected]];
    if (better === undefined || worse === undefined || chosen === rejected) {
      const reason = `pair ${place} names datums ${chosen} and ${rejected} of ${datums.length}`;
      throw new LossInputError({ loss: name, reason });
    }
    const { loss, slope } = judge(better - worse, place);
    totals.loss += share * loss;
    totals.right += better > worse ? 1 : 0;
    totals.chosen += better;
    totals.rejected += worse;
    addScaled(gradients[chosen]!, coefficients[chosen]!, share * slope);
    addScaled(gradients[rejected]!, coefficients[rejected]!, -share * slope);
  }
  const rewardShare = rewardScale / pairs.length;
  return {
    loss: totals.loss,
    gradients,
    metrics: {
      [`${name}_loss`]: totals.loss,
      accuracy: totals.right / pairs.length,
      margin: (totals.chosen - totals.rejected) * rewardShare,
      chosen_reward: totals.chosen * rewardShare,
      rejected_reward: totals.rejected * rewardShare,
    },
  };
}

function alternatingPairs(loss: string, datums: number): PreferencePair[] {
  if (datums % 2 !== 0) {
    throw new LossInputError({ loss, reason: `has ${datums} datums, which do not alternate chosen and rejected` });
  }
  return Array.from({ length: datums / 2 }, (_, pair) => ({ chosen: 2 * pair, rejected: 2 * pair + 1 }));
}

/** target += factor · source. */
export function addScaled(target: Float64Array, source: Float64Array, factor: number): void {
  for (let at = 0; at < target.length; at += 1) target[at]! += factor * source[at]!;
}
