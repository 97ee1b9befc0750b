import { z } from 'zod';

import { isCodeFile } from './algorithms.ts';
import { environmentMixSchema } from './environment-mix.ts';
import { readAlgorithm } from './read-algorithm.ts';
import { trainerSectionSchema } from './trainer-section.ts';

/**
 * Section `env`, as far as the trainer needs it. The environment knows its own further keys and refuses what it does not
 * know; here they pass through.
 */
export const environmentSectionSchema = z.looseObject({
  group_size: z.int().min(1).default(16),
  batch_size: z.int().min(1).default(128),
  max_token_length: z.int().min(1).default(8192),
  max_num_workers: z.int().min(-1).default(2048),
  /** 0 is strictly on-policy: each batch is sampled from the weights of the step before. */
  max_batches_offpolicy: z.int().min(0).default(3),
  total_steps: z.int().min(1).default(2500),
  steps_per_eval: z.int().min(0).default(25),
  tokenizer_name: z.string().default('Qwen/Qwen3-8B'),
  rollout_server_url: z.string().default('http://localhost:8000'),
  use_wandb: z.boolean().default(false),
  wandb_name: z.string().nullish(),
});

/** One inference server of the list `openai`. What else it may say, the environment checks. */
export const serverSectionSchema = z.looseObject({
  model_name: z.string().optional(),
  base_url: z.string().default('http://localhost:8001/v1'),
});

const KEYS_OF_A_LOSS = [
  ...(['clip_low_threshold', 'clip_high_threshold', 'loss_aggregation', 'loss_length'] as const),
  ...(['sampler_correction', 'sampler_correction_cap', 'entropy_coefficient', 'kl_in'] as const),
] as const;

/** A recipe: the YAML that describes a run, as files written for tinker-atropos have it. */
export const recipeSchema = z
  .strictObject({
    /** Which environment to run: a name or a file. Files of tinker-atropos do not say it. */
    environment: z.string().min(1).default('gsm8k'),
    /** Several in one run, each with its weight and fields of its own; instead of `environment`. */
    environments: environmentMixSchema.optional(),
    env: environmentSectionSchema.prefault({}),
    openai: z
      .union([z.array(serverSectionSchema).min(1), serverSectionSchema.transform((server) => [server])])
      .prefault([{}]),
    tinker: trainerSectionSchema.prefault({}),
    /**
     * Fields of `env` that may be set through the control API although the recipe sets them, or although their value is a path,
     * an address or code.
     */
    editable: z.array(z.string().min(1).max(200)).max(1_000).optional(),
    /** Read and not used: there is no Slurm here. */
    slurm: z.boolean().optional(),
    /** Read and not used. */
    testing: z.boolean().optional(),
  })
  .superRefine(({ tinker }, context) => {
    if (!tinker.kl_reference_reset_steps || typeof tinker.kl_budget !== 'number') return;
    context.addIssue({
      code: 'custom',
      path: ['tinker', 'kl_reference_reset_steps'],
      message: 'moves what kl_budget is measured from: leave one of them out',
    });
  })
  .superRefine(({ tinker }, context) => {
    if (!isCodeFile(tinker.loss ?? '')) return;
    for (const key of KEYS_OF_A_LOSS) {
      const isSet = tinker[key] !== undefined && tinker[key] !== null;
      if (!isSet || (key === 'kl_in' && tinker.kl_in === 'reward')) continue;
      const message = `is a part of a loss by name, and ${tinker.loss} is the whole loss: leave it out, and write it there`;
      context.addIssue({ code: 'custom', path: ['tinker', key], message });
    }
  })
  .superRefine(({ tinker }, context) => {
    const { correction } = readAlgorithm(tinker);
    const updates = (tinker.minibatches ?? 1) * (tinker.epochs_per_batch ?? 1);
    if (correction === 'none' || updates === 1) return;
    context.addIssue({
      code: 'custom',
      path: ['tinker', 'sampler_correction'],
      message: `of ${correction} is about the policy before the step, and takes one update of a batch: set minibatches and epochs_per_batch to 1, or sampler_correction to none`,
    });
  })
  .superRefine(({ tinker: { teacher } }, context) => {
    if (teacher?.kind !== 'openai' || (teacher.base_url ?? '') !== '') return;
    context.addIssue({
      code: 'custom',
      path: ['tinker', 'teacher', 'base_url'],
      message: 'is wanted for a teacher of kind openai: the address of its server, such as http://localhost:8005/v1',
    });
  })
  .superRefine(({ env, environments }, context) => {
    if (env.max_batches_offpolicy > 0) return;
    const refuse = (message: string): void =>
      context.addIssue({ code: 'custom', path: ['env', 'max_batches_offpolicy'], message });
    if ((environments?.length ?? 1) > 1) {
      refuse(
        'of 0 (strictly on-policy) takes one environment, and there are several: name one, or set it to 1 or more',
      );
    }
    if (env.batch_size % env.group_size !== 0) {
      refuse(
        `of 0 (strictly on-policy) takes whole groups: make batch_size (${env.batch_size}) a multiple of group_size (${env.group_size})`,
      );
    }
  });

export type Recipe = z.infer<typeof recipeSchema>;

/** What of a recipe the trainer itself reads, with every key known: for resolving flags, files and variables. */
export const trainingConfigSchema = z.object({
  env: z.object(environmentSectionSchema.shape),
  tinker: trainerSectionSchema,
});
