import { z } from 'zod';
import { tokenIdsSchema } from './token-ids.ts';

/** A request may not ask for more samples than the largest group a trainer takes. */
const MAX_SAMPLES = 1024;
const MAX_STOPS = 64;

const stopSchema = z.union([z.string(), z.array(z.string()).max(MAX_STOPS)]);

/** What all completion requests share. OpenAI's names, then vLLM's for what OpenAI does not have. */
export const samplingFields = {
  /** One server serves one policy: any name is answered by it, and the reply says its own. */
  model: z.string().nullish(),
  n: z.int().min(1).max(MAX_SAMPLES).nullish(),
  max_tokens: z.int().min(1).nullish(),
  /** Prompt and reply together: who cannot count the prompt beforehand need not guess how much is left for the reply. */
  max_total_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish(),
  seed: z.int().nullish(),
  stop: stopSchema.nullish(),
  stop_token_ids: tokenIdsSchema.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  /** Ids, log probabilities and policy version come with the reply. */
  return_token_ids: z.boolean().nullish(),
  skip_special_tokens: z.boolean().nullish(),
  include_stop_str_in_output: z.boolean().nullish(),
  ignore_eos: z.boolean().nullish(),
};

/** Settings that change what is sampled and that we do not have: taken at the value that changes nothing. */
export const neutralFields = {
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  repetition_penalty: z.number().nullish(),
  min_p: z.number().nullish(),
  min_tokens: z.number().nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  best_of: z.number().nullish(),
};

/** Where a reply's tokens came from when more than one version of the weights made it: `[start, end, version]`. */
export const policyRangesSchema = z.array(z.tuple([z.int().min(0), z.int().min(0), z.int().min(0)]));

export const usageSchema = z.looseObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
});
