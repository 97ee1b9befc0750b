import { z } from 'zod';
import { configEditReplySchema, controlConfigSchema } from './config.ts';
import { environmentListSchema, environmentSelectionSchema } from './environment.ts';
import { inferenceTestSchema } from './inference-test.ts';
import { runMetricsSchema } from './metrics.ts';
import { runListSchema, runStartSchema, runStatusSchema, runStopSchema } from './run.ts';

/*
 * The ten tools an agent drives training with: what each takes and gives. What the control server adds to a reply goes
 * through, so the outputs name what callers may count on and nothing is stripped.
 */

const runId = z.string().min(1).describe('Run id as rl_start_training or rl_list_runs gave it.');
const noArguments = z.strictObject({});

const configValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

const testArguments = z.strictObject({
  prompts: z.array(z.string().min(1)).min(1).optional().describe('Ask these prompts and score the replies.'),
  expected: z
    .array(z.string().nullable())
    .optional()
    .describe('With prompts: the right answer to each, null where there is none; the environment scores by it.'),
  max_tokens: z.int().min(1).optional().describe('Longest reply, with prompts; 256 when left out.'),
  temperature: z.number().min(0).optional().describe('Sampling temperature, with prompts; 1.0 when left out.'),
  run_id: z.string().min(1).optional().describe('Ask the policy of this run; the one active run when left out.'),
  num_steps: z.int().min(1).optional().describe('Without prompts: steps per model; 3 when left out.'),
  group_size: z.int().min(1).optional().describe('Without prompts: rollouts per step; 16 when left out.'),
  models: z.array(z.string().min(1)).min(1).optional().describe('Without prompts: models to test.'),
  test_id: z.string().min(1).optional().describe('Read on in a test that was still going; nothing else is given then.'),
});

/** Every tool, in the order in which an agent needs them. */
export const RL_TOOL_NAMES = [
  'rl_list_environments',
  'rl_select_environment',
  'rl_get_current_config',
  'rl_edit_config',
  'rl_start_training',
  'rl_check_status',
  'rl_stop_training',
  'rl_get_results',
  'rl_list_runs',
  'rl_test_inference',
] as const;

export type RlToolName = (typeof RL_TOOL_NAMES)[number];

/** What each tool takes. */
export const rlToolInputSchemas = {
  rl_list_environments: noArguments,
  rl_select_environment: z.strictObject({
    name: z.string().min(1).describe('Name of an environment as rl_list_environments gave it.'),
  }),
  rl_get_current_config: noArguments,
  rl_edit_config: z.strictObject({
    field: z.string().min(1).describe('Name of a configurable field as rl_get_current_config gave it.'),
    value: configValue.describe('The new value, of the type of the field.'),
  }),
  rl_start_training: z.strictObject({
    max_steps: z.int().positive().optional().describe('End the run after so many steps, and never one more.'),
    budget: z.number().positive().optional().describe('End the run when it has cost so many US dollars.'),
    max_tokens: z
      .int()
      .positive()
      .optional()
      .describe('End the run when it has read, sampled and trained on so many tokens.'),
  }),
  rl_check_status: z.strictObject({ run_id: runId }),
  rl_stop_training: z.strictObject({ run_id: runId }),
  rl_get_results: z.strictObject({ run_id: runId }),
  rl_list_runs: noArguments,
  rl_test_inference: testArguments,
} as const satisfies Record<RlToolName, z.ZodType>;

/** What each of the ten tools takes, by its name. */
export type RlToolInputs = { [Name in RlToolName]: z.infer<(typeof rlToolInputSchemas)[Name]> };

/** The status, or that it was asked for too soon. */
const statusAnswer = runStatusSchema.partial().extend({
  run_id: z.string(),
  rate_limited: z.boolean().optional(),
  message: z.string().optional(),
  next_check_in_seconds: z.int().min(0).optional(),
});

/** What each tool gives when it succeeds. A failure is `{ error }`, whatever the tool. */
export const rlToolOutputSchemas = {
  rl_list_environments: z.looseObject({
    environments: environmentListSchema,
    count: z.int().min(0),
    tips: z.array(z.string()),
  }),
  rl_select_environment: environmentSelectionSchema,
  rl_get_current_config: controlConfigSchema,
  rl_edit_config: configEditReplySchema,
  rl_start_training: runStartSchema,
  rl_check_status: statusAnswer,
  rl_stop_training: runStopSchema,
  rl_get_results: runMetricsSchema,
  rl_list_runs: runListSchema,
  rl_test_inference: inferenceTestSchema.extend({ message: z.string().optional() }),
} as const satisfies Record<RlToolName, z.ZodType>;

/** What each of the ten tools gives when it succeeds, by its name. */
export type RlToolOutputs = { [Name in RlToolName]: z.infer<(typeof rlToolOutputSchemas)[Name]> };
