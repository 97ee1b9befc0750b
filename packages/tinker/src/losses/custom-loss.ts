import type { Datum } from '../codec/datum.ts';

/** Log probabilities of the target tokens of one datum: 32-bit as servers send them, 64-bit where a test wants more. */
export type Logprobs = Float32Array | Float64Array;

export interface CustomLossInput {
  /** What the learner gives each target token at this moment, one array per datum. */
  readonly logprobs: readonly Logprobs[];
  /** By choice with `weights`: how much each token counts in the score of its sequence. */
  readonly datums: readonly Datum[];
}

export interface CustomLossResult {
  readonly loss: number;
  /** d loss / d logprob, one array per datum, as long as its logprobs. */
  readonly gradients: readonly Float64Array[];
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * A loss that is computed here and not on the server. What it needs besides logprobs and datums (reference logprobs,
 * labels, pairs) it closes over.
 */
export type CustomLoss = (input: CustomLossInput) => CustomLossResult;

/** Whether the loss of a batch is the mean or the sum over its pairs or examples. */
export type Reduction = 'mean' | 'sum';
