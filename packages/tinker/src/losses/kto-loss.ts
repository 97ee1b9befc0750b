import { mean } from '@lachesis/protocol';
import { checkLogprobs, checkSetting, zerosLike } from './check-logprobs.ts';
import type { CustomLoss, Logprobs, Reduction } from './custom-loss.ts';
import { sigmoid } from './log-sigmoid.ts';
import { LossInputError } from './loss-input-error.ts';
import { addScaled } from './pairwise-loss.ts';
import { scoreCoefficients, scoreOf } from './score-coefficients.ts';

/** `mismatched` is an answer put under the prompt of another: it only measures how far the policy has moved in general. */
export type KtoLabel = 'desirable' | 'undesirable' | 'mismatched';

export interface KtoOptions {
  /** One label per datum. */
  labels: readonly KtoLabel[];
  /** Logprobs of the same targets under the reference model, one array per datum. */
  reference: readonly Logprobs[];
  /** Default 0.1. */
  beta?: number;
  /** λ of the paper for each side; used to balance unequal numbers of labels. Default 1. */
  desirableWeight?: number;
  undesirableWeight?: number;
  /**
   * z₀, what a log-ratio is compared with. Default: the mean log-ratio of the mismatched datums, at least 0, and 0 when
   * there are none. It is a constant to the gradient.
   */
  referencePoint?: number;
  /** Default `mean`, over the datums that are not mismatched. */
  reduction?: Reduction;
}

/** Kahneman–Tversky optimisation: λ·(1 − σ(±β·(log-ratio − z₀))), for labels that do not come in pairs. */
export function createKtoLoss(options: KtoOptions): CustomLoss {
  const { labels, reference, beta = 0.1, desirableWeight = 1, undesirableWeight = 1, reduction = 'mean' } = options;
  const loss = 'kto';
  checkSetting({ loss, name: 'beta', value: beta, above: 0 });
  checkSetting({ loss, name: 'desirableWeight', value: desirableWeight, above: 0 });
  checkSetting({ loss, name: 'undesirableWeight', value: undesirableWeight, above: 0 });
  if (options.referencePoint !== undefined)
    checkSetting({ loss, name: 'referencePoint', value: options.referencePoint });

  return ({ logprobs, datums }) => {
    checkLogprobs({ loss, what: 'logprobs', arrays: logprobs, datums });
    checkLogprobs({ loss, what: 'reference', arrays: reference, datums });
    if (labels.length !== datums.length) {
      throw new LossInputError({ loss, reason: `has ${labels.length} labels for ${datums.length} datums` });
    }
    const judged = labels.filter((label) => label !== 'mismatched').length;
    if (judged === 0) throw new LossInputError({ loss, reason: 'has no desirable or undesirable datum' });

    const coefficients = datums.map((datum, index) => scoreCoefficients({ loss, datum, index, score: 'sum' }));
    const ratios = coefficients.map((own, index) => scoreOf(own, logprobs[index]!) - scoreOf(own, reference[index]!));
    const referencePoint =
      options.referencePoint ?? Math.max(0, mean(ratios.filter((_, index) => labels[index] === 'mismatched')));

    const gradients = zerosLike(logprobs);
    const share = reduction === 'mean' ? 1 / judged : 1;
    let total = 0;
    for (const [index, label] of labels.entries()) {
      if (label === 'mismatched') continue;
      const [sign, weight] = label === 'desirable' ? [1, desirableWeight] : [-1, undesirableWeight];
      const x = sign * beta * (ratios[index]! - referencePoint);
      // 1 − σ(x) is σ(−x), which keeps its digits when σ(x) is near 1.
      total += share * weight * sigmoid(-x);
      addScaled(gradients[index]!, coefficients[index]!, -share * weight * sigmoid(x) * sigmoid(-x) * sign * beta);
    }
    const rewardOf = (wanted: KtoLabel) => beta * mean(ratios.filter((_, index) => labels[index] === wanted));
    return {
      loss: total,
      gradients,
      metrics: {
        kto_loss: total,
        reference_point: referencePoint,
        desirable_reward: rewardOf('desirable'),
        undesirable_reward: rewardOf('undesirable'),
      },
    };
  };
}
