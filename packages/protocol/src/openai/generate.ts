import { z } from 'zod';
import { neutralFields, samplingFields } from './sampling-fields.ts';
import { tokenIdsSchema } from './token-ids.ts';

const sglangSamplingSchema = z.looseObject({
  ...samplingFields,
  ...neutralFields,
  max_new_tokens: z.int().min(1).nullish(),
  min_new_tokens: z.number().nullish(),
  sampling_seed: z.int().nullish(),
});

/** `POST /generate` as SGLang has it. */
export const sglangGenerateRequestSchema = z.looseObject({
  input_ids: z.union([tokenIdsSchema, z.array(tokenIdsSchema).min(1)]).nullish(),
  text: z.union([z.string(), z.array(z.string()).min(1)]).nullish(),
  sampling_params: sglangSamplingSchema.nullish(),
  return_logprob: z.boolean().nullish(),
  stream: z.boolean().nullish(),
});

/** `POST /generate` as the vLLM server of the Atropos example trainer has it. */
export const vllmGenerateRequestSchema = z.looseObject({
  ...samplingFields,
  ...neutralFields,
  prompt: z.union([z.string(), z.looseObject({ prompt_token_ids: tokenIdsSchema })]),
  max_new_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.int().nullish(),
  /** The log probability of each token of the prompt. */
  prompt_logprobs: z.int().min(0).nullish(),
});

/** A triple of SGLang: log probability, token id, and its text, which is left out. */
const tokenLogprobsSchema = z.custom<[number, number, string | null][]>(
  (value) => Array.isArray(value) && value.every((each) => Array.isArray(each) && each.length === 3),
  { error: 'is not a list of [log probability, id, text]' },
);

/** Reply of `POST /generate` in the shape of SGLang. */
export const sglangGenerateReplySchema = z.looseObject({
  text: z.string(),
  output_ids: tokenIdsSchema.optional(),
  meta_info: z.looseObject({
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    finish_reason: z.looseObject({ type: z.string() }).nullish(),
    output_token_logprobs: tokenLogprobsSchema.optional(),
    policy_version: z.int().min(0).optional(),
  }),
});
