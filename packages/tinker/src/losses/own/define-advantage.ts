/** A sequence of a rollout, as it was sampled. */
export interface AdvantageSequence {
  readonly rollout: number;
  readonly tokens: Int32Array;
  /** Log probabilities of the sampler; of no meaning where the mask is 0. */
  readonly logprobs: Float32Array;
  /** 1 where a token is trained on, 0 where it is not. */
  readonly mask: Float32Array;
}

/** The rollouts of one prompt. */
export interface AdvantageGroup {
  /** One for each rollout, shaped as the recipe asks for. */
  readonly scores: ArrayLike<number>;
  /** Trained tokens of each rollout. */
  readonly trainedTokens: ArrayLike<number>;
  readonly sequences: readonly AdvantageSequence[];
}

/** What an advantage of one's own sees: every group of the batch that can be read. */
export interface AdvantageInput {
  readonly groups: readonly AdvantageGroup[];
}

export interface AdvantageDefinition {
  /** For errors and logs. */
  readonly name: string;
  /** For each group one number for each of its rollouts. A group of zeros is left out of the step. */
  readonly advantage: (input: AdvantageInput) => readonly ArrayLike<number>[];
}

/** An advantage of one's own, as a file exports it. */
export interface OwnAdvantage extends AdvantageDefinition {
  readonly kind: 'advantage';
}

/** Makes an advantage for `tinker.advantage` of a recipe: the default export of a file. */
export const defineAdvantage = (definition: AdvantageDefinition): OwnAdvantage =>
  Object.freeze({ ...definition, kind: 'advantage' });
