/**
 * The losses of reinforcement learning that engines have, and between which bounds each keeps the ratio of learner to sampler. Who
 * adds one adds its formula to the table of @lachesis/tinker, which the compiler asks for.
 */
export const LOSSES = Object.freeze({
  importance_sampling: Object.freeze({ clip: undefined }),
  ppo: Object.freeze({ clip: Object.freeze({ low: 0.8, high: 1.2 }) }),
  cispo: Object.freeze({ clip: Object.freeze({ low: 0, high: 4 }) }),
});

/** What a loss by name is made of: of what the ratio is, how it is clipped, and its bounds unless a recipe says others. */
export interface PolicyLoss {
  readonly ratio: 'sequence' | 'token';
  readonly clip: 'none' | 'pessimistic' | 'weight';
  readonly bounds: { readonly low: number; readonly high: number } | undefined;
  /** Its name with engines that have it; where it has none, or more is asked for, its gradient is computed here and sent. */
  readonly engine: keyof typeof LOSSES | undefined;
}

const policyLoss = (loss: PolicyLoss): PolicyLoss => Object.freeze(loss);

/** The losses a recipe may name. */
export const POLICY_LOSSES = Object.freeze({
  importance_sampling: policyLoss({
    ...{ ratio: 'token', clip: 'none', engine: 'importance_sampling' },
    bounds: LOSSES.importance_sampling.clip,
  }),
  ppo: policyLoss({ ratio: 'token', clip: 'pessimistic', bounds: LOSSES.ppo.clip, engine: 'ppo' }),
  cispo: policyLoss({ ratio: 'token', clip: 'weight', bounds: LOSSES.cispo.clip, engine: 'cispo' }),
  // The bounds are those of the paper: a mean over hundreds of tokens hardly leaves 1.
  gspo: policyLoss({
    ...{ ratio: 'sequence', clip: 'pessimistic', engine: undefined },
    bounds: { low: 1 - 3e-4, high: 1 + 4e-4 },
  }),
});

export type PolicyLossName = keyof typeof POLICY_LOSSES;

/** How scores become advantages; each is one pure function in the trainer. The last two look at the whole batch. */
export const ADVANTAGE_ESTIMATORS = Object.freeze([
  'mean_centred',
  'std_normalised',
  'leave_one_out',
  'length_normalised',
  'batch_std',
  'batch_normalised',
] as const);

/** How tokens add up to the loss of a batch. */
export const LOSS_AGGREGATIONS = Object.freeze([
  'token_sum',
  'token_mean',
  'sequence_mean',
  'constant_length',
] as const);

/** What is done about a sampler that gives a token another probability than the trainer. */
export const SAMPLER_CORRECTIONS = Object.freeze([
  'none',
  'tis',
  'tis_sequence',
  'mis',
  'mis_sequence',
  'decoupled',
] as const);

/** How far a reply is from the start weights: k1 is the plain log ratio, k2 half its square, k3 never negative and of low variance. */
export const KL_ESTIMATORS = Object.freeze(['k1', 'k2', 'k3'] as const);

/** Whether a recipe names a file of code where it could name one of ours. */
export const isCodeFile = (name: string): boolean => /\.[cm]?[jt]s$/.test(name);

/** Every choice of an algorithm, as a run has it. */
export interface Algorithm {
  /** A name of `POLICY_LOSSES`, or a file, which is then the whole loss. */
  readonly loss: string;
  /** Bounds of the ratio; undefined for a loss without. */
  readonly bounds: { readonly low: number; readonly high: number } | undefined;
  /** A name of `ADVANTAGE_ESTIMATORS`, or a file. */
  readonly advantage: string;
  readonly aggregation: (typeof LOSS_AGGREGATIONS)[number];
  /** Tokens that `constant_length` divides each sequence by; the longest a sequence may be when undefined. */
  readonly length: number | undefined;
  readonly correction: (typeof SAMPLER_CORRECTIONS)[number];
  readonly correctionCap: number;
  readonly entropyCoefficient: number;
  readonly klCoefficient: number;
  readonly klEstimator: (typeof KL_ESTIMATORS)[number];
  readonly klIn: 'loss' | 'reward';
  /** Replies that were cut off at the longest length teach nothing. */
  readonly overlongFilter: boolean;
  /** Share of the longest length in which a reply begins to cost, up to 1 at its end; 0 costs nothing. */
  readonly overlongBuffer: number;
}

/** What a recipe has that says nothing. */
export const PLAIN_ALGORITHM: Algorithm = Object.freeze({
  loss: 'importance_sampling',
  bounds: undefined,
  advantage: 'mean_centred',
  aggregation: 'token_sum',
  length: undefined,
  correction: 'none',
  correctionCap: 2,
  entropyCoefficient: 0,
  klCoefficient: 0,
  klEstimator: 'k1',
  klIn: 'reward',
  overlongFilter: false,
  overlongBuffer: 0,
});

const preset = (settings: Partial<Algorithm>): Partial<Algorithm> => Object.freeze(settings);

const GRPO: Partial<Algorithm> = { loss: 'ppo', advantage: 'std_normalised', aggregation: 'sequence_mean' };

const TOKENS: Partial<Algorithm> = { ...GRPO, aggregation: 'token_mean' };
const WHOLE_BATCH: Partial<Algorithm> = { ...TOKENS, advantage: 'batch_normalised' };

/** Algorithms by name, with the settings of their papers. */
export const ALGORITHMS = Object.freeze({
  // Shao et al. 2024: the KL divergence is a term of the loss, with 0.04.
  grpo: preset({ ...GRPO, klCoefficient: 0.04, klEstimator: 'k3', klIn: 'loss' }),
  // Liu et al. 2025: no deviation, no length of the reply, no KL.
  dr_grpo: preset({ loss: 'ppo', advantage: 'mean_centred', aggregation: 'constant_length' }),
  // Zheng et al. 2025.
  gspo: preset({ ...GRPO, loss: 'gspo' }),
  // MiniMax 2025, which names no upper bound; TRL recommends 5, SkyRL has 6, and 4 is ours.
  cispo: preset({ loss: 'cispo', advantage: 'std_normalised', aggregation: 'token_mean' }),
  // Ahmadian et al. 2024: the KL divergence is part of the reward, with 0.03.
  rloo: preset({ loss: 'importance_sampling', advantage: 'leave_one_out', klCoefficient: 0.03, klIn: 'reward' }),
  // Yu et al. 2025: clip higher, token mean, overlong filter, and a buffer of 4,096 of 20,480 tokens.
  dapo: preset({
    ...{ loss: 'ppo', bounds: { low: 0.8, high: 1.28 }, advantage: 'std_normalised', aggregation: 'token_mean' },
    ...{ overlongFilter: true, overlongBuffer: 0.2 },
  }),
  // Hu 2025: normalised over the batch, the KL divergence in the reward, with 0.01.
  reinforce_pp: preset({ ...WHOLE_BATCH, klCoefficient: 0.01, klIn: 'reward' }),
  // Schulman et al. 2017, without a critic: the baseline is the mean of the batch.
  ppo: preset(WHOLE_BATCH),
  // Yao et al. 2025, and Liu et al. 2025: the weights of the trainer over those of the sampler, truncated or masked beyond 2.
  tis: preset({ ...TOKENS, correction: 'tis' }),
  mis: preset({ ...TOKENS, correction: 'mis' }),
  // Hilton et al. 2022: the clip is about the policy before the step, the sampler is corrected apart.
  decoupled_ppo: preset({ ...TOKENS, correction: 'decoupled' }),
});

export type AlgorithmName = keyof typeof ALGORITHMS;

/** Undefined for a name that is none. */
export const findPolicyLoss = (loss: string): PolicyLoss | undefined =>
  Object.hasOwn(POLICY_LOSSES, loss) ? POLICY_LOSSES[loss as PolicyLossName] : undefined;
