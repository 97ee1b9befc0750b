import { createDpoLoss, type CustomLoss } from '@lachesis/tinker';
import type { RecordExample, RecordMethod } from '../records/method.ts';
import { weightsOf } from '../records/to-datum.ts';
import { toPairExample } from './to-pair-example.ts';

export interface DpoMethodOptions {
  /** How far the policy may move away from the reference: smaller is further. */
  beta: number;
  labelSmoothing: number;
  /**
   * How much the mean NLL of the chosen reply counts beside the preference. The preference alone is also served by making both
   * replies unlikely, the rejected one more so; this holds the chosen one up. 0 is plain DPO.
   */
  chosenNllWeight: number;
}

/** Direct preference optimisation over pairs, against the frozen start weights. */
export function createDpoMethod({ beta, labelSmoothing, chosenNllWeight }: DpoMethodOptions): RecordMethod {
  const lossOf = (batch: readonly RecordExample[]): CustomLoss =>
    addChosenNll(createDpoLoss({ reference: batch.flatMap(readReference), beta, labelSmoothing }), chosenNllWeight);
  return {
    name: 'dpo',
    needsReference: true,
    toExample: toPairExample,
    async pass(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const { metrics } = await model.customLoss(datums, lossOf(batch));
      return {
        metrics: {
          'dpo/loss': metrics['dpo_loss']!,
          'dpo/accuracy': metrics['accuracy']!,
          'dpo/margin': metrics['margin']!,
          'dpo/chosen_nll': metrics['chosen_nll']!,
          'rewards/chosen': metrics['chosen_reward']!,
          'rewards/rejected': metrics['rejected_reward']!,
        },
      };
    },
    async evaluate(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const { logprobs } = await model.forward(datums);
      const { metrics } = lossOf(batch)({ logprobs, datums });
      const scores = datums.map((datum, index) => scoreOf(weightsOf(datum), logprobs[index]!));
      const preferred = batch.filter((_, pair) => scores[2 * pair]! > scores[2 * pair + 1]!).length;
      return {
        metrics: {
          'eval/loss': metrics['dpo_loss']!,
          'eval/accuracy': metrics['accuracy']!,
          'eval/margin': metrics['margin']!,
          'eval/chosen_nll': metrics['chosen_nll']!,
          // What the policy itself finds likelier, whatever the reference says.
          'eval/preferred': preferred / batch.length,
        },
        weight: batch.length,
      };
    },
  };
}

/** Datums alternate chosen, rejected. */
function addChosenNll(loss: CustomLoss, weight: number): CustomLoss {
  return (input) => {
    const result = loss(input);
    const pairs = input.datums.length / 2;
    let nll = 0;
    const gradients = result.gradients.map((gradient, index) => {
      if (index % 2 === 1) return gradient;
      const own = weightsOf(input.datums[index]!);
      const share = 1 / (own.reduce((sum, each) => sum + each, 0) * pairs);
      return Float64Array.from(gradient, (slope, at) => {
        if (own[at] === 0) return slope;
        nll -= own[at]! * share * input.logprobs[index]![at]!;
        return slope - weight * own[at]! * share;
      });
    });
    return { loss: result.loss + weight * nll, gradients, metrics: { ...result.metrics, chosen_nll: nll } };
  };
}

/** The logprobs of the frozen start weights, which the pipeline has added. */
export function readReference({ id, reference }: RecordExample): readonly Float32Array[] {
  if (reference === undefined) throw new Error(`example ${id} has no logprobs of the reference`);
  return reference;
}

const scoreOf = (weights: Float32Array, logprobs: ArrayLike<number>): number =>
  weights.reduce((sum, weight, at) => sum + (weight === 0 ? 0 : weight * logprobs[at]!), 0);
