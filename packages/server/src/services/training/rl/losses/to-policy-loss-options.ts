import type { TrainingSequence } from '../datums/convert-group.ts';
import type { Algorithm, PolicyLoss, PolicyLossOptions } from './algorithm.ts';

/** A token that the start weights find e^10 times likelier says no more than that it is far away. */
const MOST_LOG_RATIO = 10;

type Correction = PolicyLossOptions['correction'];

const toCorrection = (cap: number): Readonly<Record<Algorithm['correction'], Correction>> => ({
  none: undefined,
  tis: { kind: 'truncate', level: 'token', high: cap },
  tis_sequence: { kind: 'truncate', level: 'sequence', high: cap },
  mis: { kind: 'mask', level: 'token', high: cap },
  mis_sequence: { kind: 'mask', level: 'sequence', high: cap },
  decoupled: { kind: 'full', level: 'token' },
});

/** The algorithm of a recipe in the words of the loss. */
export function toPolicyLossOptions(options: {
  algorithm: Algorithm;
  policyLoss: PolicyLoss;
  length: number;
  sequences: readonly TrainingSequence[];
  reference: readonly Float32Array[] | undefined;
}): PolicyLossOptions {
  const { algorithm, policyLoss, length, sequences, reference } = options;
  const { klCoefficient: coefficient, klEstimator: estimator } = algorithm;
  const correction = toCorrection(algorithm.correctionCap)[algorithm.correction];
  return {
    ratio: policyLoss.ratio,
    clip: policyLoss.clip,
    ...algorithm.bounds,
    correction,
    ratioTo: correction === undefined ? 'sampler' : 'proximal',
    aggregation: algorithm.aggregation,
    length,
    entropyCoefficient: algorithm.entropyCoefficient,
    ...(reference === undefined
      ? {}
      : { kl: { coefficient, estimator, reference: boundDistance(sequences, reference) } }),
  };
}

const boundDistance = (sequences: readonly TrainingSequence[], reference: readonly Float32Array[]): Float32Array[] =>
  reference.map((row, index) =>
    row.map((logprob, position) =>
      Math.min(logprob, sequences[index]!.datum.inputs.logprobs[position]! + MOST_LOG_RATIO),
    ),
  );
