import type { Datum } from '../codec/datum.ts';
import { checkLogprobs } from './check-logprobs.ts';
import type { Logprobs } from './custom-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { readTargets } from './read-row.ts';

/**
 * What a server divides the summed token losses by before it steps.
 * `token-mean`: each sequence by the sum of its weights. `sequence-mean`: everything by the number of sequences that
 * were accumulated since the last optimiser step. `token-mean-then-sequence-mean`: both.
 */
export type LossNormalisation = 'sum' | 'token-mean' | 'sequence-mean' | 'token-mean-then-sequence-mean';

/** What has to be known about a server to hand it a gradient. */
export interface SurrogateProfile {
  readonly normalisation: LossNormalisation;
  /** Whether cross entropy takes weights below 0 as they are. SkyRL divides by their sum, kept above 1e-9: not safe. */
  readonly allowsNegativeWeights: boolean;
}

export interface PlanSurrogateOptions {
  datums: readonly Datum[];
  /** d loss / d logprob, one array per datum. */
  gradients: readonly Float64Array[];
  /** The logprobs the gradients were taken at: what the forward pass gave. */
  logprobs: readonly Logprobs[];
  profile: SurrogateProfile;
  /**
   * Sequences that will have been accumulated when the optimiser steps, for servers that divide by their number.
   * Default: these datums. Give the total when more than this batch goes into one step.
   */
  sequencesInStep?: number;
}

/** A batch for a built-in loss, whose gradient on that server is the wanted one. */
export interface SurrogatePlan {
  readonly loss: 'importance_sampling' | 'cross_entropy';
  readonly datums: readonly Datum[];
  /** The server's division is already undone here, so whoever sends this must not undo it again. */
  readonly normalisation: 'server';
}

/**
 * Finds a built-in loss whose derivative with respect to every logprob is the given gradient g.
 *
 * Cross entropy is −w·logp, so w = −g. It is taken where weights below 0 are safe and no division by Σ w follows, which
 * would cancel every scale. Otherwise importance sampling, −A·exp(logp − logq): with logq = logp the ratio is 1, its
 * derivative is −A, so A = −g; there the weights are only a mask, whose sum is known and multiplied back in.
 */
export function planSurrogate(options: PlanSurrogateOptions): SurrogatePlan {
  const { datums, gradients, logprobs, profile } = options;
  const loss = 'surrogate';
  checkLogprobs({ loss, what: 'gradients', arrays: gradients, datums });
  checkLogprobs({ loss, what: 'logprobs', arrays: logprobs, datums });
  const sequences = options.sequencesInStep ?? datums.length;
  if (!Number.isInteger(sequences) || sequences < datums.length) {
    throw new LossInputError({ loss, reason: `sequencesInStep is ${sequences} for ${datums.length} datums` });
  }
  const dividesByTokens = profile.normalisation.startsWith('token-mean');
  const sequenceFactor = profile.normalisation.endsWith('sequence-mean') ? sequences : 1;
  const useCrossEntropy = profile.allowsNegativeWeights && !dividesByTokens;

  return {
    loss: useCrossEntropy ? 'cross_entropy' : 'importance_sampling',
    normalisation: 'server',
    datums: datums.map((datum, index) => {
      const gradient = gradients[index]!;
      const targets = readTargets({ loss, datum, index });
      const counted = gradient.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
      const force = negated({ gradient, factor: sequenceFactor * (dividesByTokens ? counted : 1), index });
      if (useCrossEntropy) return { ...datum, inputs: { target_tokens: targets, weights: force } };
      return {
        ...datum,
        inputs: {
          target_tokens: targets,
          logprobs: ratioOneLogprobs({ gradient, logprobs: logprobs[index]!, index }),
          advantages: force,
          // Sent only where it is divided by: other servers count it as an unknown input of this loss.
          ...(dividesByTokens ? { weights: Float32Array.from(gradient, (value) => (value === 0 ? 0 : 1)) } : {}),
        },
      };
    }),
  };
}

/** −g·factor in the 32 bits of the wire. Beyond their range it would become an infinity and ruin the model. */
function negated({ gradient, factor, index }: { gradient: Float64Array; factor: number; index: number }): Float32Array {
  // `0 -` and not a minus sign: -0 on the wire would be a surprise in logs.
  const force = Float32Array.from(gradient, (value) => 0 - value * factor);
  if (!force.every(Number.isFinite)) {
    throw new LossInputError({
      loss: 'surrogate',
      datum: index,
      reason: 'has a gradient that is not a finite 32-bit number',
    });
  }
  return force;
}

/** The forward's logprobs. One that is not finite can only be sent where nothing pulls on it, and there as 0. */
function ratioOneLogprobs({
  gradient,
  logprobs,
  index,
}: {
  gradient: Float64Array;
  logprobs: Logprobs;
  index: number;
}): Float32Array {
  return Float32Array.from(logprobs, (value, token) => {
    if (Number.isFinite(value)) return value;
    if (gradient[token] === 0) return 0;
    const reason = `has the logprob ${value} at token ${token}, where the gradient is not 0`;
    throw new LossInputError({ loss: 'surrogate', datum: index, reason });
  });
}
