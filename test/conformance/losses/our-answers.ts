import {
  createBradleyTerryLoss,
  createDpoLoss,
  createIpoLoss,
  createKtoLoss,
  createSimpoLoss,
  type CustomLoss,
  type Datum,
} from '@lachesis/tinker';
import type { LossCase } from './make-cases.ts';

export interface Answer {
  readonly value: number;
  /** d value / d logprob, datum by datum. */
  readonly gradients: readonly ArrayLike<number>[];
}

/** The product's loss for a case. A mutant stands in its place. */
export type MakeLoss = (one: LossCase) => CustomLoss;

const rows = (values: LossCase['logprobs']): Float64Array[] =>
  values.map((row) => Float64Array.from(row, (value) => value ?? Number.NEGATIVE_INFINITY));

export const makeOurLoss: MakeLoss = (one) => {
  const { pairs, reduction, beta, label_smoothing: labelSmoothing } = one;
  const reference = rows(one.reference);
  const { score } = one;
  switch (one.loss) {
    case 'dpo':
      return createDpoLoss({ reference, beta, labelSmoothing, pairs, reduction });
    case 'ipo':
      return createIpoLoss({ reference, beta, pairs, reduction, score: score === 'mean' ? 'mean' : 'sum' });
    case 'simpo':
      return createSimpoLoss({ beta, gamma: one.gamma, labelSmoothing, pairs, reduction });
    case 'bradley_terry':
      return createBradleyTerryLoss({ score, scale: one.scale, margins: one.margins, pairs, reduction });
    case 'kto':
      return createKtoLoss({
        labels: one.labels,
        reference,
        beta,
        desirableWeight: one.desirable_weight,
        undesirableWeight: one.undesirable_weight,
        reduction,
      });
  }
};

export function answerLoss(one: LossCase, make: MakeLoss = makeOurLoss): Answer {
  const logprobs = rows(one.logprobs);
  const { loss, gradients } = make(one)({ logprobs, datums: one.weights.map(toDatum) });
  return { value: loss, gradients };
}

const toDatum = (weights: readonly number[]): Datum => ({
  tokens: new Int32Array(weights.length),
  inputs: { target_tokens: new Int32Array(weights.length), weights: Float32Array.from(weights) },
});
