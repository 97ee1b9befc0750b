import { z } from 'zod';
import { choiceFields, replyFields } from './choice-fields.ts';
import { neutralFields, samplingFields } from './sampling-fields.ts';
import { tokenIdsSchema } from './token-ids.ts';

/** Body of `POST /v1/completions`: the prompt is text or token ids. */
export const completionRequestSchema = z.looseObject({
  ...samplingFields,
  ...neutralFields,
  /** A text or its token ids, or a list of either. */
  prompt: z.union([z.string(), tokenIdsSchema, z.array(z.string()).min(1), z.array(tokenIdsSchema).min(1)]),
  logprobs: z.int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
  suffix: z.string().nullish(),
});

/** Reply of `POST /v1/completions`, with token ids and log probabilities where the server has them. */
export const completionReplySchema = z.looseObject({
  ...replyFields,
  object: z.string(),
  choices: z.array(
    z.looseObject({
      ...choiceFields,
      text: z.string(),
      /** Here too when the request had several prompts. */
      prompt_token_ids: tokenIdsSchema.nullish(),
      logprobs: z.looseObject({}).nullish(),
    }),
  ),
});
