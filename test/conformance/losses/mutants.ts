import type { CustomLoss } from '@lachesis/tinker';
import type { AdvantageEstimator } from '../../../packages/server/src/services/training/rl/advantages.ts';
import type { LossCase, LossName } from './make-cases.ts';
import { makeOurLoss, type MakeLoss } from './our-answers.ts';

interface LossMutant {
  readonly fault: string;
  readonly losses: readonly LossName[];
  readonly make: MakeLoss;
}

const altered =
  (change: (one: LossCase) => Partial<LossCase>): MakeLoss =>
  (one) =>
    makeOurLoss({ ...one, ...change(one) });

const resulting =
  (change: (result: ReturnType<CustomLoss>) => ReturnType<CustomLoss>): MakeLoss =>
  (one) =>
  (input) =>
    change(makeOurLoss(one)(input));

const paired: readonly LossName[] = ['dpo', 'ipo', 'simpo', 'bradley_terry'];
const all: readonly LossName[] = [...paired, 'kto'];

/** Losses with one fault each, as somebody could write them. */
export const lossMutants: readonly LossMutant[] = [
  {
    fault: 'β is twice what was asked for',
    losses: ['dpo', 'ipo', 'simpo', 'kto'],
    make: altered(({ beta }) => ({ beta: 2 * beta })),
  },
  {
    fault: 'chosen and rejected are swapped',
    losses: paired,
    make: altered(({ pairs }) => ({
      pairs: pairs.map(({ chosen, rejected }) => ({ chosen: rejected, rejected: chosen })),
    })),
  },
  {
    fault: 'desirable and undesirable are swapped',
    losses: ['kto'],
    make: altered(({ labels }) => ({
      labels: labels.map((label) => {
        if (label === 'mismatched') return label;
        return label === 'desirable' ? 'undesirable' : 'desirable';
      }),
    })),
  },
  {
    fault: 'the gradient points uphill',
    losses: all,
    make: resulting((result) => ({ ...result, gradients: result.gradients.map((row) => row.map((one) => -one)) })),
  },
  {
    fault: 'the sum over pairs for the mean',
    losses: all,
    make: altered(({ reduction }) => ({ reduction: reduction === 'mean' ? 'sum' : 'mean' })),
  },
  {
    fault: 'the mean over tokens for the sum',
    losses: ['dpo', 'kto'],
    make: (one) => (input) => makeOurLoss(one)({ ...input, datums: input.datums.map(averageWeights) }),
  },
  {
    fault: 'the mean over tokens for the sum, or the other way round',
    losses: ['ipo', 'bradley_terry'],
    make: altered(({ score }) => ({ score: score === 'mean' ? 'sum' : 'mean' })),
  },
  {
    fault: 'the reference is left out',
    losses: ['dpo', 'ipo', 'kto'],
    make: altered(({ reference }) => ({ reference: reference.map((row) => row.map(() => 0)) })),
  },
  {
    fault: 'the mask is not looked at',
    losses: all,
    make: (one) => (input) =>
      makeOurLoss(one)({
        ...input,
        datums: input.datums.map(({ tokens, inputs }) => ({
          tokens,
          inputs: { target_tokens: inputs['target_tokens']! },
        })),
      }),
  },
  { fault: 'no margin', losses: ['simpo'], make: altered(() => ({ gamma: 0 })) },
  {
    fault: 'no margin',
    losses: ['bradley_terry'],
    make: altered(({ margins }) => ({ margins: margins.map(() => 0) })),
  },
  {
    fault: 'label smoothing is left out',
    losses: ['dpo', 'simpo'],
    make: altered(() => ({ label_smoothing: 0 })),
  },
];

function averageWeights(datum: Parameters<CustomLoss>[0]['datums'][number]): typeof datum {
  const weights = datum.inputs['weights'] as Float32Array;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { ...datum, inputs: { ...datum.inputs, weights: weights.map((weight) => weight / total) } };
}

const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** Estimators with one fault each. */
export const advantageMutants: readonly { fault: string; estimator: string; estimate: AdvantageEstimator }[] = [
  {
    fault: 'the deviation is divided by n',
    estimator: 'std_normalised',
    estimate: ({ scores }) => {
      const centred = Float64Array.from(scores, (score) => score - mean(scores));
      const deviation = Math.sqrt(mean(centred.map((value) => value * value)));
      return centred.map((value) => value / (deviation + 1e-4));
    },
  },
  {
    fault: 'the baseline holds the own score',
    estimator: 'leave_one_out',
    estimate: ({ scores }) => Float64Array.from(scores, (score) => score - mean(scores)),
  },
  {
    fault: 'the length is left out',
    estimator: 'length_normalised',
    estimate: ({ scores }) => Float64Array.from(scores, (score) => score - mean(scores)),
  },
  {
    fault: 'the sign is turned round',
    estimator: 'mean_centred',
    estimate: ({ scores }) => Float64Array.from(scores, (score) => mean(scores) - score),
  },
];
