/** What a hand-off trains with. */
export interface HandoffRecipe {
  baseModel: string;
  loraRank: number;
  loraAlpha: number;
  targetModules: readonly string[];
  sequenceLength: number;
  microBatchSize: number;
  gradientAccumulation: number;
  epochs: number;
  learningRate: number;
}

export const HANDOFF_DEFAULTS: Readonly<HandoffRecipe> = Object.freeze({
  baseModel: 'Qwen/Qwen3-8B',
  loraRank: 32,
  loraAlpha: 64,
  targetModules: Object.freeze(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']),
  sequenceLength: 8_192,
  microBatchSize: 2,
  gradientAccumulation: 8,
  epochs: 3,
  learningRate: 2e-4,
});

/** One file of a hand-off, and the words to type. */
export interface HandoffPlan {
  files: { path: string; text: string }[];
  /** Typed in the folder, in this order. */
  commands: string[];
}

/** What a plan is made from. */
export interface HandoffInput {
  recipe: HandoffRecipe;
  kind: 'conversation' | 'preference';
  /** Rows by split; the split `test` is used for evaluation when it is there. */
  splits: Readonly<Record<string, number>>;
}
