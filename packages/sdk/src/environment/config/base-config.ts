import { z } from 'zod';
import { pathField, urlField } from './field-kinds.ts';
import { UNUSED as unused } from './server-config.ts';

const countSchema = z.int().min(0);
const positiveSchema = z.int().min(1);

/** Names of Atropos that its files hold and that mean nothing here. */
const oldFields = {
  max_num_workers_per_node: z.int().optional().describe(unused),
  eval_handling: z.string().optional().describe(unused),
  eval_limit_ratio: z.number().optional().describe(unused),
  num_rollouts_to_keep: z.int().optional().describe(unused),
  num_rollouts_per_group_for_logging: z.int().optional().describe(unused),
  min_items_sent_before_logging: z.int().optional().describe(unused),
  thinking_mode: z.boolean().optional().describe(unused),
  reasoning_effort: z.string().nullable().optional().describe(unused),
  max_reasoning_tokens: z.int().nullable().optional().describe(unused),
  custom_thinking_prompt: z.string().nullable().optional().describe(unused),
};

/** What every environment can be told in the section `env`. Descriptions become `--help` and fields of the control plane. */
export const baseConfigSchema = z.object({
  group_size: positiveSchema.default(16).describe('rollouts of one item that are scored against each other'),
  batch_size: z
    .int()
    .min(-1)
    .default(128)
    .describe('sequences in a training step; -1 takes what the trainer registered'),
  max_token_length: positiveSchema.default(8192).describe('longest sequence, prompt and replies together'),
  max_completion_tokens: positiveSchema
    .optional()
    .describe('longest single reply (default: what max_token_length leaves)'),
  max_num_workers: z.int().min(-1).default(2048).describe('most groups in flight; -1 leaves it to back-pressure alone'),
  max_batches_offpolicy: countSchema
    .default(3)
    .describe(
      'batches that may wait for the trainer before we pause; 0 samples each batch from the newest weights alone',
    ),
  max_n_completions: positiveSchema.default(8).describe('most replies asked for in one request'),
  total_steps: z.int().min(-1).default(2500).describe('serve: stop at this step; process: groups to write'),
  steps_per_eval: countSchema.default(25).describe('evaluate each so many steps; 0 never'),
  temperature: z.number().min(0).default(1).describe('of training rollouts; evaluation uses eval_temperature'),
  eval_temperature: z.number().min(0).default(0).describe('of evaluation rollouts'),
  top_p: z.number().gt(0).max(1).default(1).describe('of training rollouts'),
  stop: z.array(z.string()).optional().describe('texts that end a reply'),
  max_agent_turns: positiveSchema.default(30).describe('turns of the model in one rollout'),
  seed: z.int().min(0).default(0).describe('the same seed gives the same items in the same order'),
  rollout_server_url: urlField()
    .default('http://localhost:8000')
    .describe('the trajectory API, with /run/<name> if named; several servers of one run with commas between them'),
  rollout_server_token: z.string().optional().meta({ secret: true }).describe('token for the trajectory API'),
  trainer_url: urlField()
    .optional()
    .describe(
      'where evaluations and metrics are reported, so that they are kept with the run; the address of the inference server',
    ),
  tokenizer_name: z.string().default('Qwen/Qwen3-8B').describe('model whose tokenizer the trainer uses'),
  inference_weight: z
    .number()
    .min(0)
    .default(1)
    .describe('share of what is trained on, against the weights of the other environments of the run'),
  min_batch_allocation: z.number().min(0).max(1).nullable().default(null).describe('least share of each batch'),
  worker_timeout: z.number().min(0).default(600).describe('seconds a rollout may take; 0 no limit'),
  failure_policy: z
    .enum(['complete', 'retry', 'drop'])
    .default('complete')
    .describe('a group with a failed rollout: roll out the missing ones, roll out all again, or drop it'),
  max_rollout_attempts: positiveSchema.default(3).describe('attempts at a rollout or group before it is dropped'),
  history_policy: z
    .enum(['refuse', 'split'])
    .default('refuse')
    .describe(
      'when a turn does not begin with the tokens of the turn before: refuse the rollout, or one sequence a turn',
    ),
  ensure_scores_are_not_same: z.boolean().default(false).describe('do not send groups whose scores are all equal'),
  dynamic_resampling: z
    .boolean()
    .default(false)
    .describe('draw another item in place of one whose scores are all equal'),
  max_resamples: positiveSchema
    .default(8)
    .describe(
      'with dynamic_resampling: so many such groups in a row are replaced, then one is sent, so that nobody starves',
    ),
  curriculum: z
    .enum(['none', 'easy_first', 'frontier'])
    .default('none')
    .describe(
      'which of the next items is taken: as drawn, the one most replies got right, or the one nearest to half of them',
    ),
  min_pass_rate: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('set items aside that fewer of the replies got right, and try each fourth time again'),
  max_pass_rate: z.number().min(0).max(1).default(1).describe('set items aside that more of the replies got right'),
  replay_rare: z
    .number()
    .min(0)
    .max(0.5)
    .default(0)
    .describe(
      'let this share of the groups go to items that were answered rightly, by a quarter of the replies at most',
    ),
  include_messages: z
    .boolean()
    .default(true)
    .describe('send the conversation along with the tokens, so that `lachesis rollouts` shows it'),
  eval_size: positiveSchema.optional().describe('evaluate on so many items (default: all)'),
  eval_samples: positiveSchema
    .default(1)
    .describe('replies to each evaluation item, for pass@k and avg@k; more than one needs eval_temperature above 0'),
  max_eval_workers: positiveSchema.default(16).describe('most evaluation rollouts in flight'),
  system_prompt: z.string().nullable().optional().describe('replaces the system prompt of the environment'),
  use_wandb: z
    .boolean()
    .default(false)
    .describe('send the metrics of the run to W&B; the trainer does it, for the environment too'),
  wandb_name: z.string().nullable().optional().describe('name under which the environment registers'),
  data_path_to_save_groups: pathField()
    .nullable()
    .optional()
    .describe('JSONL file of groups; data/<name>.jsonl for process'),
  data_dir_to_save_evals: pathField()
    .nullable()
    .optional()
    .describe('folder of evaluations; data/evals/<name>, and with the run for an environment that has one'),
  api_fields: z
    .array(z.string())
    .default([])
    .describe('written by the control plane: fields set through its API, whose addresses are held to the egress rule'),
  ...oldFields,
});

export type BaseConfig = z.infer<typeof baseConfigSchema>;
export type BaseConfigInput = z.input<typeof baseConfigSchema>;
