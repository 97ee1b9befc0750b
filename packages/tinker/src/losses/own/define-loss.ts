import type { BatchValue } from './batch-value.ts';

/** A sequence of the batch, as it was sampled. */
export interface LossSequence {
  /** Which group of the batch it is of. */
  readonly group: number;
  /** Which rollout of its group; one whose history was split has several sequences. */
  readonly rollout: number;
  /** What the environment gave its rollout. */
  readonly score: number;
  /** The tokens that are predicted, those of the prompt too. */
  readonly tokens: Int32Array;
  /** 1 where a token is trained on, 0 where it is not. */
  readonly mask: Float32Array;
}

/** What a loss of one's own sees: the batch of one optimiser step. Values have a number for each trained token. */
export interface LossInput {
  /** Log probabilities under the weights that learn; gradients are with respect to these. */
  readonly learner: BatchValue;
  /** Under the weights that sampled. */
  readonly sampler: BatchValue;
  /** Under the weights that the run began with; there for a loss with `needsReference`. */
  readonly reference: BatchValue;
  readonly advantages: BatchValue;
  /** One for each sequence. */
  readonly scores: BatchValue;
  readonly sequences: readonly LossSequence[];
}

/** One number to be made small, and by choice numbers for charts: each is a series `policy/<name>`. */
export type LossResult =
  | BatchValue
  | { readonly loss: BatchValue; readonly metrics?: Readonly<Record<string, BatchValue | number>> };

export interface LossDefinition {
  /** For errors and logs. */
  readonly name: string;
  /** Whether it looks at `reference`; that takes a second place in the engine. Default: no. */
  readonly needsReference?: boolean | undefined;
  /** Whether groups of equal scores stay in the batch; their advantages are 0. Default: they are left out. */
  readonly keepsEqualGroups?: boolean | undefined;
  /** Called for each optimiser step. The same batch must give the same number. */
  readonly loss: (input: LossInput) => LossResult;
}

/** A loss of one's own, as a file exports it. */
export interface OwnLoss extends LossDefinition {
  readonly kind: 'loss';
}

/** Makes a loss for `tinker.loss` of a recipe: the default export of a file. The gradient follows from what is computed. */
export const defineLoss = (definition: LossDefinition): OwnLoss => Object.freeze({ ...definition, kind: 'loss' });
