import { z } from 'zod';
import { policyRangesSchema, usageSchema } from './sampling-fields.ts';
import { numbersSchema, tokenIdsSchema } from './token-ids.ts';

/** What a choice has beyond OpenAI's fields. All of it is left out by servers that do not know `return_token_ids`. */
export const choiceFields = {
  index: z.int().min(0),
  finish_reason: z.string().nullable(),
  /** What was sampled, the token that ended it included. */
  token_ids: tokenIdsSchema.optional(),
  /** One per token. */
  token_logprobs: numbersSchema.optional(),
  policy_version: z.int().min(0).optional(),
  policy_ranges: policyRangesSchema.optional(),
  rollout_id: z.string().optional(),
};

/** What a reply has around its choices. */
export const replyFields = {
  id: z.string(),
  created: z.int(),
  model: z.string(),
  usage: usageSchema.nullish(),
  prompt_token_ids: tokenIdsSchema.nullish(),
  policy_version: z.int().min(0).optional(),
  /** The registered model that answered, where it is one. */
  model_version_id: z.string().optional(),
};
