import type { Algorithm } from '../losses/algorithm.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';

/** How far the policy that sampled a batch is from the start weights. */
export interface KlFacts {
  /** Nats a sequence, as the chosen estimator has it: what the budget is about. */
  sequence: number;
  /** Nats a token, likewise. */
  token: number;
  /** Nats a token by each estimator. */
  k1: number;
  k2: number;
  k3: number;
  /** How much was added to the advantage of a token or taken from it, as a mean. */
  penalty: number;
}

export interface PenaliseOptions {
  sequences: readonly TrainingSequence[];
  /** Of the frozen start weights, one array per sequence. */
  reference: readonly Float32Array[];
  coefficient: number;
  estimator: Algorithm['klEstimator'];
}

/** A token that the start weights find e^10 times likelier says no more than that it is far away. */
const MOST_LOG_RATIO = 10;

/** What each estimator adds to an advantage, but for the coefficient. */
const reliefOf: Readonly<Record<Algorithm['klEstimator'], (distance: number, baseline: number) => number>> = {
  k1: (distance, baseline) => baseline - distance,
  k2: (distance) => -distance,
  k3: (distance) => Math.exp(-distance) - 1,
};

/**
 * Adds what distance costs to the advantages of the trained tokens, and measures it. With d = log π − log π_ref of a sampled
 * token: k1 is d, and a token further away than the mean of the batch loses c·(d − mean), the mean being a baseline that takes
 * noise away and changes no expectation; k2 is d²/2, whose gradient d·∇log π is an advantage of −c·d; k3 is e^(−d) − 1 + d,
 * whose gradient (1 − e^(−d))·∇log π is an advantage of c·(e^(−d) − 1).
 */
export function penaliseKl({ sequences, reference, coefficient, estimator }: PenaliseOptions): {
  sequences: TrainingSequence[];
  kl: KlFacts;
} {
  let tokens = 0;
  let k1 = 0;
  let k2 = 0;
  let k3 = 0;
  const distances = sequences.map(({ datum: { inputs } }, index) => {
    const start = reference[index]!;
    return inputs.logprobs.map((logprob, position) => {
      if (inputs.weights[position] === 0) return 0;
      const distance = Math.max(-MOST_LOG_RATIO, logprob - start[position]!);
      tokens += 1;
      k1 += distance;
      k2 += (distance * distance) / 2;
      k3 += Math.exp(-distance) - 1 + distance;
      return distance;
    });
  });
  const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
  const baseline = per(k1, tokens);
  let penalty = 0;
  const penalised = sequences.map((sequence, index) => {
    const { inputs } = sequence.datum;
    const advantages = inputs.advantages.map((advantage, position) => {
      if (inputs.weights[position] === 0) return advantage;
      const distance = distances[index]![position]!;
      const added = coefficient * reliefOf[estimator](distance, baseline);
      penalty += Math.abs(added);
      return advantage + added;
    });
    return { ...sequence, datum: { ...sequence.datum, inputs: { ...inputs, advantages } } };
  });
  const chosen = { k1, k2, k3 }[estimator];
  return {
    sequences: penalised,
    kl: {
      sequence: per(chosen, sequences.length),
      token: per(chosen, tokens),
      k1: baseline,
      k2: per(k2, tokens),
      k3: per(k3, tokens),
      penalty: per(penalty, tokens),
    },
  };
}
