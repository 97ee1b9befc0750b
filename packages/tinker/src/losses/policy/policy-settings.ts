import type { Logprobs } from '../custom-loss.ts';

/** How the weights of a batch's tokens add up to one number. */
export type LossAggregation = 'constant_length' | 'sequence_mean' | 'token_mean' | 'token_sum';

/** Estimators of the KL divergence from a reference, with d = log π − log π_ref of a sampled token. */
export type KlTerm = 'k1' | 'k2' | 'k3';

/**
 * What is done about sampler and trainer giving a token different probabilities. The weight is π_proximal / π_sampler, of a token
 * or multiplied over a sequence, and takes no gradient: `truncate` keeps it at most `high`, `mask` leaves out what lies outside
 * the bounds, `full` takes it as it is.
 */
export interface SamplerCorrection {
  kind: 'full' | 'mask' | 'truncate';
  level: 'sequence' | 'token';
  /** Default 0. */
  low?: number | undefined;
  /** Default infinity. */
  high?: number | undefined;
}

export interface PolicyLossOptions {
  /** Of each token, or the geometric mean of its sequence (GSPO). Default: token. */
  ratio?: 'sequence' | 'token' | undefined;
  /** What the ratio's denominator is. Default: the sampler, whose logprobs the datums carry. */
  ratioTo?: 'proximal' | 'sampler' | undefined;
  /**
   * `pessimistic` takes the smaller of the plain and the clipped objective (PPO); `weight` clips the ratio, gives it no gradient and
   * weighs the log probability by it (CISPO). Default: none.
   */
  clip?: 'none' | 'pessimistic' | 'weight' | undefined;
  /** Bounds of the ratio. Defaults 0 and infinity. */
  low?: number | undefined;
  high?: number | undefined;
  correction?: SamplerCorrection | undefined;
  /** Default: token_sum. */
  aggregation?: LossAggregation | undefined;
  /** Tokens that `constant_length` divides each sequence by. */
  length?: number | undefined;
  /** Holds the policy near a reference, as a term of the loss. */
  kl?: { estimator: KlTerm; coefficient: number; reference: readonly Logprobs[] } | undefined;
  /** How much the entropy of the policy is worth, for each token. Default 0. */
  entropyCoefficient?: number | undefined;
  /** Logprobs of the trainer before the first step on this batch; those of the forward pass when absent. */
  proximal?: readonly Logprobs[] | undefined;
}
