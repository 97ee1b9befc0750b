import { chatMessageSchema } from '@lachesis/protocol';
import { drawToolsets, ToolsetError } from '@lachesis/sdk/agent';
import { z } from 'zod';

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'] as const;
export const PROVIDER_SORTS = ['price', 'throughput', 'latency'] as const;
export const BATCH_SANDBOXES = ['namespace', 'container', 'local'] as const;

const distribution = z.record(z.string(), z.number());
const count = z.int().min(1);
const address = z.url({ protocol: /^https?$/, error: 'an address such as http://localhost:11434/v1 is wanted' });

const fields = z.object({
  dataset_file: z.string(),
  batch_size: count,
  distribution: z.string().default('default'),
  /** Distributions of one's own by name. */
  distributions: z.record(z.string(), distribution).default({}),
  seed: z.int().default(0),
  model: z.string(),
  base_url: address,
  max_turns: count.default(10),
  max_tokens: count.optional(),
  ephemeral_system_prompt: z.string().optional(),
  prefill_messages: z.array(chatMessageSchema).default([]),
  reasoning_effort: z.enum(REASONING_EFFORTS).optional(),
  reasoning_disabled: z.boolean().default(false),
  providers_allowed: z.array(z.string()).optional(),
  providers_ignored: z.array(z.string()).optional(),
  providers_order: z.array(z.string()).optional(),
  provider_sort: z.enum(PROVIDER_SORTS).optional(),
  /** A row without any reasoning is discarded, unless this is set. */
  keep_without_reasoning: z.boolean().default(false),
  max_attempts: count.default(3),
  requests_per_minute: z.number().gt(0).optional(),
  /** US dollars. */
  max_cost: z.number().gt(0).optional(),
  sandbox: z.enum(BATCH_SANDBOXES).default('namespace'),
  /** A module that exports `toolsets`. */
  toolsets_file: z.string().optional(),
  /** YAML of what stands behind the toolsets; default LACHESIS_TOOLS. */
  tools_file: z.string().optional(),
  /** Toolsets of the distribution that are not configured are left out, and every row says which. */
  allow_missing_tools: z.boolean().default(false),
  /** Words of a program that is the agent. */
  agent_command: z.string().optional(),
  agent_url: address.optional(),
});

/**
 * What a job is done with, by the names its flags are known under. Workers read it from the store, so no key is in it. The
 * distribution is drawn from once: a wrong one is refused before there is a job, and costs no prompt an attempt.
 */
export const batchSettingsSchema = fields.superRefine(({ distribution, distributions }, context) => {
  try {
    drawToolsets({ distribution, distributions, next: () => 0 });
  } catch (error) {
    if (!ToolsetError.isInstance(error)) throw error;
    context.addIssue({ code: 'custom', path: ['distribution'], message: error.message.replace(/\.$/, '') });
  }
});

export type BatchSettings = z.infer<typeof batchSettingsSchema>;
export type BatchSettingsInput = z.input<typeof batchSettingsSchema>;

/** What every request carries besides model, messages and tools. Nothing is sent that nobody asked for. */
export function toSampling(settings: BatchSettings): Record<string, unknown> {
  const provider = {
    ...(settings.providers_allowed === undefined ? {} : { only: settings.providers_allowed }),
    ...(settings.providers_ignored === undefined ? {} : { ignore: settings.providers_ignored }),
    ...(settings.providers_order === undefined ? {} : { order: settings.providers_order }),
    ...(settings.provider_sort === undefined ? {} : { sort: settings.provider_sort }),
  };
  const effort = settings.reasoning_disabled ? 'none' : settings.reasoning_effort;
  return {
    ...(settings.max_tokens === undefined ? {} : { max_tokens: settings.max_tokens }),
    ...(effort === undefined ? {} : { reasoning: effort === 'none' ? { effort } : { enabled: true, effort } }),
    ...(Object.keys(provider).length === 0 ? {} : { provider }),
  };
}
