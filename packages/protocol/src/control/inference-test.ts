import { z } from 'zod';

/** `POST /test/inference` with prompts of one's own. */
export const promptTestRequestSchema = z.strictObject({
  prompts: z.array(z.string().min(1)).min(1).max(100),
  /** The right answer to each prompt, null where there is none: the environment scores by it. */
  expected: z.array(z.string().max(10_000).nullable()).max(100).optional(),
  max_tokens: z.int().min(1).max(32_768).default(256),
  temperature: z.number().min(0).max(2).default(1),
  /** Whose policy answers; when left out, that of the one active run, else the configured server. */
  run_id: z.string().optional(),
});

/** `POST /test/inference` with the environment's own tasks. */
export const stepTestRequestSchema = z.strictObject({
  num_steps: z.int().min(1).max(100).default(3),
  group_size: z.int().min(1).max(256).default(16),
  models: z.array(z.string().min(1)).min(1).max(10).optional(),
  run_id: z.string().optional(),
});

/** Body of `POST /test/inference`: prompts to try, or some steps of the environment's own tasks. */
export const inferenceTestRequestSchema = z.union([promptTestRequestSchema, stepTestRequestSchema]);

/** One judgement about what was seen. */
export const testVerdictSchema = z.looseObject({
  check: z.enum(['load', 'prompts', 'parsing', 'reward_spread', 'constant_rewards']),
  passed: z.boolean(),
  message: z.string(),
});

export type TestVerdict = z.infer<typeof testVerdictSchema>;

export const promptResultSchema = z.looseObject({
  prompt: z.string(),
  response: z.string().nullable(),
  /** As it was given. */
  expected: z.string().nullable().optional(),
  /** Null when nothing could score it, and the reason says why. */
  score: z.number().nullable(),
  reason: z.string().nullable(),
});

export const modelResultSchema = z.looseObject({
  model: z.string(),
  steps: z.int().min(0),
  completions: z.int().min(0),
  failed: z.int().min(0),
  accuracy: z.number().nullable(),
  scores: z.array(z.number().nullable()),
  log_path: z.string(),
  data_path: z.string(),
  verdicts: z.array(testVerdictSchema),
});

/**
 * What an inference test has found so far, and whether it still runs. `running` ones are read on at `GET
 * /test/inference/{id}`.
 */
export const inferenceTestSchema = z.looseObject({
  test_id: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  environment: z.string().nullable(),
  /** In the form with prompts. */
  results: z.array(promptResultSchema).optional(),
  /** In the form with steps. */
  models: z.array(modelResultSchema).optional(),
  summary: z.looseObject({ passed: z.boolean().nullable(), message: z.string() }),
  error: z.string().optional(),
});

export type InferenceTest = z.infer<typeof inferenceTestSchema>;
