import { z } from 'zod';

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
  max_batches_offpolicy: z.int().min(1).default(3),
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

/** A recipe: the YAML that describes a run, as files written for tinker-atropos have it. */
export const recipeSchema = z.strictObject({
  /** Which environment to run: a name or a file. Files of tinker-atropos do not say it. */
  environment: z.string().min(1).default('gsm8k'),
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
});

export type Recipe = z.infer<typeof recipeSchema>;

/** What of a recipe the trainer itself reads, with every key known: for resolving flags, files and variables. */
export const trainingConfigSchema = z.object({
  env: z.object(environmentSectionSchema.shape),
  tinker: trainerSectionSchema,
});
