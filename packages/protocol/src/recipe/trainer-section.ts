import { z } from 'zod';

/**
 * The losses of reinforcement learning, and between which bounds each keeps the ratio of learner to sampler. Who adds one
 * adds its formula to the table of @lachesis/tinker, which the compiler asks for.
 */
export const LOSSES = Object.freeze({
  importance_sampling: Object.freeze({ clip: undefined }),
  ppo: Object.freeze({ clip: Object.freeze({ low: 0.8, high: 1.2 }) }),
  cispo: Object.freeze({ clip: Object.freeze({ low: 0, high: 4 }) }),
});

type LossName = keyof typeof LOSSES;

const describeBounds = (bound: 'low' | 'high'): string =>
  Object.entries(LOSSES)
    .flatMap(([name, { clip }]) => (clip === undefined ? [] : [`${clip[bound]} for ${name}`]))
    .join(', ');

/** How the scores of a group become advantages; each is one pure function in the trainer. */
export const ADVANTAGE_ESTIMATORS = Object.freeze([
  'mean_centred',
  'std_normalised',
  'leave_one_out',
  'length_normalised',
] as const);

/** How far a reply is from the start weights: k1 is the plain log ratio, k3 is never negative and of low variance. */
const KL_ESTIMATORS = Object.freeze(['k1', 'k3'] as const);

export const LEARNING_RATE_SCHEDULES = Object.freeze(['constant', 'linear', 'cosine'] as const);

const count = z.int().min(0);
const rate = z.number().min(0);

/** Section `tinker` of a recipe: how the trainer trains. The keys of tinker-atropos, then ours. */
export const trainerSectionSchema = z.strictObject({
  lora_rank: z.int().min(1).max(1024).default(32).describe('rank of the LoRA matrices'),
  learning_rate: rate.default(4e-5).describe('of Adam; the highest one where a schedule is set'),
  max_token_trainer_length: z
    .int()
    .min(2)
    .default(9000)
    .describe('longer sequences are left out of the step, and counted'),
  checkpoint_dir: z.string().nullish().describe('told to environments; weights stay with the engine'),
  save_checkpoint_interval: count
    .default(25)
    .describe('steps between checkpoints with optimiser; 0 makes none but the last'),
  wandb_project: z.string().nullish().describe('project of the W&B sink, told to environments'),
  wandb_group: z.string().nullish().describe('group of the W&B sink, told to environments'),
  wandb_run_name: z.string().nullish().describe('name of the run in sinks'),
  tinker_model_name: z.string().nullish().describe('the same as base_model, as forks of tinker-atropos write it'),
  tool_call_parser: z.string().nullish().describe('format of tool calls in replies'),

  base_model: z
    .string()
    .nullish()
    .describe('model the engine trains; "engine" takes the first one it has. Default: tokenizer_name of env'),
  initial_state: z
    .string()
    .regex(/^tinker:\/\//, 'is not a tinker:// path')
    .nullish()
    .describe('saved state whose weights training begins with, such as that of a warm-up; new ones when absent'),
  warm_up: z
    .strictObject({
      steps: z.int().min(1).max(10_000).default(25).describe('steps of the warm-up'),
      batch_size: z.int().min(1).default(16).describe('examples of one step'),
      learning_rate: rate.default(1e-2).describe('of the warm-up alone'),
    })
    .nullish()
    .describe('teach examples of the environment first, for a model that would earn nothing; not with initial_state'),
  base_url: z.string().nullish().describe('Tinker server; TINKER_BASE_URL, then a running local engine, when absent'),
  loss: z
    .enum(Object.keys(LOSSES) as LossName[])
    .default('importance_sampling')
    .describe('ppo and cispo bound the ratio and suit stale groups'),
  clip_low_threshold: rate.nullish().describe(`lower bound of the ratio; ${describeBounds('low')}`),
  clip_high_threshold: rate.nullish().describe(`upper bound of the ratio; ${describeBounds('high')}`),
  advantage: z.enum(ADVANTAGE_ESTIMATORS).default('mean_centred').describe('how scores become advantages'),
  mode: z
    .enum(['async', 'sync'])
    .default('async')
    .describe('sync: the next batch is taken after the new weights are served'),
  lr_schedule: z.enum(LEARNING_RATE_SCHEDULES).default('constant').describe('after the warm-up, over total_steps'),
  warmup_steps: count.default(0).describe('steps in which the learning rate rises from 0'),
  final_learning_rate_fraction: rate.max(1).default(0).describe('where linear and cosine schedules end'),
  beta1: rate.max(1).default(0.9),
  beta2: rate.max(1).default(0.95),
  eps: rate.default(1e-8),
  weight_decay: rate.default(0),
  grad_clip_norm: rate.default(0).describe('largest norm of the gradient; 0 does not clip. Not every server clips'),
  keep_checkpoints: z.int().min(1).default(3).describe('older ones are deleted, except the best by evaluation'),
  seed: count.default(0).describe('of the LoRA matrices'),
  drift_alarm: rate.default(0.05).describe('mean |sampler - trainer| log probability of tokens of the newest policy'),
  kl_alarm: rate.default(0.1).describe('estimate (k3) of the KL divergence between the sampling policies and ours'),
  ratio_alarm: rate.default(20).describe('largest ratio of a single token'),
  on_alarm: z.enum(['warn', 'stop']).default('warn').describe('what an alarm does besides being counted'),
  kl_coefficient: rate
    .default(0)
    .describe('how much being away from the start weights costs, for each token; 0 does not hold the policy back'),
  kl_estimator: z.enum(KL_ESTIMATORS).default('k1').describe('k1 is plain, k3 never negative and of low variance'),
  kl_budget: rate
    .nullish()
    .describe('nats a reply may be away from the start weights, as the mean of a batch; beyond them the run ends'),
  reward_clip: rate.nullish().describe('scores beyond plus or minus this count as this'),
  length_target: count.default(0).describe('trained tokens of a sequence that cost nothing'),
  length_penalty: rate.default(0).describe('taken from a score for each trained token beyond length_target'),
  use_tensorboard: z.boolean().default(false).describe('write TensorBoard event files beside metrics.jsonl'),
});

export type TrainerSection = z.infer<typeof trainerSectionSchema>;
