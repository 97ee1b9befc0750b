import { TOOL_CALL_FORMATS } from '@lachesis/protocol/names';
import { z } from 'zod';
import type { BaseConfigInput } from '../config/base-config.ts';

const countSchema = z.int().min(1);

/** What every agent environment can be told besides what all environments can. */
export const agentConfigSchema = z.object({
  enabled_toolsets: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('toolsets to offer; null leaves the choice to the environment'),
  disabled_toolsets: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('toolsets not to offer, whatever else says so'),
  distribution: z
    .string()
    .nullable()
    .default(null)
    .describe('draw toolsets with the chances of this distribution, once for each group'),
  allow_missing_tools: z
    .boolean()
    .default(false)
    .describe('leave out toolsets that are not configured, and mark every rollout with them; false refuses to begin'),
  agent_temperature: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .describe('of training rollouts; null takes temperature'),
  tool_call_parser: z
    .enum(TOOL_CALL_FORMATS)
    .default('hermes')
    .describe('how calls are written, where the server does not read them'),
  terminal_backend: z
    .string()
    .default('namespace')
    .describe('where tools run: namespace, namespace:watched, container, ssh:<host>, or local, which is no wall'),
  network_allow: z
    .array(z.string())
    .nullable()
    .default(null)
    // It widens what code of a model may do, so that an agent sets it only where a recipe lists it.
    .meta({ kind: 'code' })
    .describe('hosts that commands may ask, such as pypi.org, *.pythonhosted.org, host:8080; null: no network'),
  terminal_timeout: z.number().gt(0).default(120).describe('seconds one command may take'),
  terminal_lifetime: z
    .number()
    .gt(0)
    .default(3600)
    .describe('seconds after which a sandbox is destroyed, whatever runs in it'),
  max_sandboxes: countSchema
    .default(64)
    .describe('rollouts with a sandbox at once; others wait before their first call'),
  max_agent_tokens: countSchema.nullable().default(null).describe('tokens sampled in one rollout, all turns together'),
  max_tool_calls: countSchema.default(200).describe('calls of tools in one rollout'),
  max_calls_per_turn: countSchema.default(16).describe('calls of tools in one reply'),
  agent_timeout: z
    .number()
    .gt(0)
    .nullable()
    .default(null)
    .describe('seconds after which the agent is stopped and graded on what it did'),
  tool_output_characters: countSchema.default(20_000).describe('characters of one result that the model gets'),
  parse_failure: z
    .enum(['correct', 'end'])
    .default('correct')
    .describe('a call that cannot be read: tell the model, or end the rollout'),
  max_parse_failures: z
    .int()
    .min(0)
    .default(3)
    .describe('so many are told to the model; the next one ends the rollout'),
  parse_failure_penalty: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('taken off the reward for each call that could not be read'),
  mask_parse_failures: z.boolean().default(false).describe('do not train on replies whose call could not be read'),
  extra_body: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe('further fields of each request to the model'),
  dataset_name: z.string().nullable().default(null).describe('data set, for environments that read one'),
  dataset_split: z.string().default('train').describe('its split'),
  prompt_field: z.string().default('prompt').describe('its field with the task'),
});

export type AgentConfig = z.infer<typeof agentConfigSchema>;

/** A template that cannot go on from the turn before makes another row, which is told, and no failure. */
export const AGENT_DEFAULTS: Partial<BaseConfigInput> = Object.freeze({ history_policy: 'split' });
