import { z } from 'zod';
import {
  ADVANTAGE_ESTIMATORS,
  ALGORITHMS,
  type AlgorithmName,
  isCodeFile,
  KL_ESTIMATORS,
  LOSS_AGGREGATIONS,
  POLICY_LOSSES,
  SAMPLER_CORRECTIONS,
} from './algorithms.ts';
import { teacherSectionSchema } from './teacher-section.ts';

const nameOrFileOf = (names: readonly string[]) =>
  z.string().refine((value) => names.includes(value) || isCodeFile(value), {
    error: `is none of ${names.join(', ')}, and no TypeScript file (./mine.ts)`,
  });

const describeBounds = (bound: 'low' | 'high'): string =>
  Object.entries(POLICY_LOSSES)
    .flatMap(([name, { bounds }]) => (bounds === undefined ? [] : [`${bounds[bound]} for ${name}`]))
    .join(', ');

export const LEARNING_RATE_SCHEDULES = Object.freeze(['constant', 'linear', 'cosine'] as const);

const count = z.int().min(0);
const rate = z.number().min(0);

/** Section `tinker` of a recipe: how the trainer trains. The keys of tinker-atropos, then ours. */
export const trainerSectionSchema = z.strictObject({
  lora_rank: z.int().min(1).max(1024).default(32).describe('rank of the LoRA matrices'),
  lora_alpha: z.number().positive().nullish().describe('scale of the LoRA matrices; refused where the engine sets it'),
  train_mlp: z.boolean().nullish().describe('whether MLP layers learn; refused where the engine does not choose'),
  train_attn: z
    .boolean()
    .nullish()
    .describe('whether attention layers learn; refused where the engine does not choose'),
  train_unembed: z
    .boolean()
    .nullish()
    .describe('whether the last layer learns; refused where the engine does not choose'),
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
  wandb_entity: z.string().nullish().describe('team or user of the W&B sink; the default one of the key when absent'),
  wandb_group: z.string().nullish().describe('group of the W&B sink, told to environments'),
  wandb_run_name: z.string().nullish().describe('name of the run in sinks'),
  tinker_model_name: z.string().nullish().describe('the same as base_model, as forks of tinker-atropos write it'),
  tool_call_parser: z.string().nullish().describe('format of tool calls in replies'),

  max_steps: z
    .int()
    .min(1)
    .nullish()
    .describe('steps after which the run ends, whatever total_steps plans; the schedule of the learning rate stays'),
  base_model: z
    .string()
    .nullish()
    .describe('model the engine trains; "engine" takes the first one it has. Default: tokenizer_name of env'),
  model_name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'is no name of a model: letters, digits, dots, dashes, underscores')
    .nullish()
    .describe('name under which checkpoints are registered as models; the name of the run when absent'),
  sweep: z.string().min(1).nullish().describe('sweep that the run belongs to; `lachesis train --grid` writes it'),
  lineage: z
    .strictObject({
      method: z.enum(['grpo', 'rlhf']).default('grpo').describe('how the registry says the weights were made'),
      parent: z.string().nullish().describe('registered model it begins with, by id or name@version'),
      dataset: z.string().nullish().describe('data set its prompts are from, as name@version'),
      reward: z.string().nullish().describe('what graded the replies'),
      reward_model: z.string().nullish().describe('id of the registered reward model that graded'),
    })
    .nullish()
    .describe('what the registry is to say about the models of this run; commands write it'),
  initial_state: z
    .string()
    .min(1)
    .nullish()
    .describe(
      'weights training begins with: name@version of a model, run:step, run:best, or the tinker:// path of a state; new ones when absent',
    ),
  initial_state_with_optimizer: z
    .boolean()
    .default(false)
    .describe('go on with the optimiser of initial_state too; it begins anew otherwise'),
  warm_up: z
    .strictObject({
      steps: z.int().min(1).max(10_000).default(25).describe('steps of the warm-up'),
      batch_size: z.int().min(1).default(16).describe('examples of one step'),
      learning_rate: rate.default(1e-2).describe('of the warm-up alone'),
    })
    .nullish()
    .describe('teach examples of the environment first, for a model that would earn nothing; not with initial_state'),
  base_url: z.string().nullish().describe('Tinker server; TINKER_BASE_URL, then a running local engine, when absent'),
  algorithm: z
    .enum(Object.keys(ALGORITHMS) as AlgorithmName[])
    .nullish()
    .describe(
      'settings of a paper for the keys from here to overlong_buffer and those of kl; a key that is set counts',
    ),
  loss: nameOrFileOf(Object.keys(POLICY_LOSSES))
    .nullish()
    .describe(
      `${Object.keys(POLICY_LOSSES).join(', ')}; all but the first bound the ratio and suit stale groups; or a file with defineLoss, which is the whole loss. Default: importance_sampling`,
    ),
  clip_low_threshold: rate.nullish().describe(`lower bound of the ratio; ${describeBounds('low')}`),
  clip_high_threshold: rate.nullish().describe(`upper bound of the ratio; ${describeBounds('high')}`),
  loss_aggregation: z
    .enum(LOSS_AGGREGATIONS)
    .nullish()
    .describe(
      'how tokens add up: their sum, their mean, the mean of the means of sequences, or by a constant length. Default: token_sum',
    ),
  loss_length: z
    .int()
    .min(1)
    .nullish()
    .describe('tokens that constant_length divides each sequence by; max_token_length when absent'),
  sampler_correction: z
    .enum(SAMPLER_CORRECTIONS)
    .nullish()
    .describe('weighs by trainer over sampler: truncated (tis), masked (mis), or as it is (decoupled). Default: none'),
  sampler_correction_cap: rate.nullish().describe('weight beyond which tis truncates and mis masks. Default: 2'),
  entropy_coefficient: z.number().nullish().describe('how much the entropy of a token is worth. Default: 0'),
  advantage: nameOrFileOf(ADVANTAGE_ESTIMATORS)
    .nullish()
    .describe(
      `how scores become advantages: ${ADVANTAGE_ESTIMATORS.join(', ')}, or a file with defineAdvantage. Default: mean_centred`,
    ),
  overlong_filter: z
    .boolean()
    .nullish()
    .describe('replies of overlong_length tokens were cut off and are not learnt from. Default: false'),
  overlong_length: z.int().min(1).nullish().describe('longest reply in trained tokens; max_token_length when absent'),
  overlong_buffer: rate
    .max(1)
    .nullish()
    .describe('share of overlong_length, at its end, in which the score falls linearly by up to 1. Default: 0'),
  mode: z
    .enum(['async', 'sync'])
    .default('async')
    .describe('sync: the next batch is taken after the new weights are served'),
  minibatches: z
    .int()
    .min(1)
    .max(1_000)
    .nullish()
    .describe('parts of a batch, each with an optimiser step of its own; 1 when absent'),
  epochs_per_batch: z
    .int()
    .min(1)
    .max(100)
    .nullish()
    .describe(
      'times that a batch is trained on before the next; 1 when absent. Beyond it ppo, which bounds the ratio, suits',
    ),
  max_empty_batches: count
    .nullish()
    .describe(
      'batches in a row that hold nothing to learn from and do not count as steps; 8 when absent. Those beyond count, so that a run ends',
    ),
  max_sample_age: count
    .nullish()
    .describe('versions of the policy that a sample may be old when it is trained on; no bound when absent'),
  old_samples: z
    .enum(['drop', 'downweight'])
    .nullish()
    .describe(
      'what is older than max_sample_age is left out (drop), or counts for less the older it is; drop when absent',
    ),
  lr_schedule: z.enum(LEARNING_RATE_SCHEDULES).default('constant').describe('after the warm-up, over total_steps'),
  warmup_steps: count.default(0).describe('steps in which the learning rate rises from 0'),
  final_learning_rate_fraction: rate.max(1).default(0).describe('where linear and cosine schedules end'),
  beta1: rate.max(1).default(0.9),
  beta2: rate.max(1).default(0.95),
  eps: rate.default(1e-8),
  weight_decay: rate.default(0),
  grad_clip_norm: rate.default(0).describe('largest norm of the gradient; 0 does not clip. Not every server clips'),
  keep_checkpoints: z.int().min(1).default(3).describe('older ones are deleted, except the best by evaluation'),
  best_checkpoint: z
    .string()
    .min(1)
    .nullish()
    .describe(
      'series of the evaluation by which the best checkpoint is chosen, such as eval/pass@4; eval/mean_reward when absent',
    ),
  early_stop: z
    .strictObject({
      metric: z.string().min(1).default('eval/mean_reward').describe('series of the evaluation that has to rise'),
      patience: z.int().min(1).default(3).describe('evaluations in a row without a rise after which the run ends'),
      min_delta: rate.default(0).describe('by how much it has to rise to count'),
    })
    .nullish()
    .describe('end the run when its evaluation no longer rises; it runs all steps when absent'),
  seed: count.default(0).describe('of the LoRA matrices'),
  drift_alarm: rate.default(0.05).describe('mean |sampler - trainer| log probability of tokens of the newest policy'),
  kl_alarm: rate.default(0.1).describe('estimate (k3) of the KL divergence between the sampling policies and ours'),
  ratio_alarm: rate.default(20).describe('largest ratio of a single token'),
  on_alarm: z.enum(['warn', 'stop']).default('warn').describe('what an alarm does besides being counted'),
  kl_coefficient: rate
    .nullish()
    .describe('how much being away from the start weights costs, for each token. Default: 0, which does not hold back'),
  kl_estimator: z
    .enum(KL_ESTIMATORS)
    .nullish()
    .describe('k1 is plain, k2 half its square, k3 never negative and of low variance. Default: k1'),
  kl_in: z
    .enum(['loss', 'reward'])
    .nullish()
    .describe('whether that cost is a term of the loss or part of the advantages. Default: reward'),
  kl_reference_reset_steps: z
    .int()
    .min(1)
    .nullish()
    .describe(
      'steps after which the KL divergence is taken from the policy of that moment; always from the start weights when absent',
    ),
  kl_budget: rate
    .nullish()
    .describe('nats a reply may be away from the start weights, as the mean of a batch; beyond them the run ends'),
  teacher: teacherSectionSchema
    .nullish()
    .describe('distil this model: each sampled token earns how much likelier the teacher finds it than the student'),
  distill_coefficient: rate
    .default(1)
    .describe(
      'how much the word of a teacher counts, of this recipe or of the distill_ arrays of groups; 0 does not listen',
    ),
  distill_reward: z
    .boolean()
    .default(false)
    .describe('whether scores of the environment count beside the word of a teacher'),
  reward_clip: rate.nullish().describe('scores beyond plus or minus this count as this'),
  length_target: count.default(0).describe('trained tokens of a sequence that cost nothing'),
  length_penalty: rate.default(0).describe('taken from a score for each trained token beyond length_target'),
  rollout_retention_steps: count
    .default(0)
    .describe('newest steps whose rollouts are kept; 0 keeps those of all steps that the size allows'),
  rollout_retention_gb: rate
    .default(100)
    .describe('gigabytes that the rollouts of the run may take; the oldest steps are let go of first. 0 is no bound'),
  logprobs_interval: count
    .default(10)
    .describe("every so many steps the trainer's own log probabilities are kept with the rollouts; 0 is never"),
  logprobs_drift_bound: rate
    .default(0.5)
    .describe('mean |sampler - trainer| beyond which those of a single sequence are kept at any step; 0 is never'),
  allow_flat_reward: z
    .boolean()
    .default(false)
    .describe('start although all replies of the model to 16 tasks earned the same'),
  allow_dropped_tools: z
    .boolean()
    .default(false)
    .describe('start although the chat template of the model leaves out the tools of the environment'),
  use_tensorboard: z.boolean().default(false).describe('write TensorBoard event files beside metrics.jsonl'),
});

export type TrainerSection = z.infer<typeof trainerSectionSchema>;

/** The step a run ends with: the last of its plan, or that of its limit. */
export const lastStepOf = ({ env, tinker }: { env: { total_steps: number }; tinker: TrainerSection }): number =>
  Math.min(env.total_steps, tinker.max_steps ?? Number.POSITIVE_INFINITY);
