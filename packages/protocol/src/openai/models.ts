import { z } from 'zod';

/** Reply of `GET /v1/models`, as OpenAI-compatible servers give it. */
export const modelListSchema = z.looseObject({
  object: z.string(),
  data: z.array(
    z.looseObject({
      id: z.string(),
      object: z.string(),
      created: z.int().optional(),
      owned_by: z.string().optional(),
      max_model_len: z.int().nullish(),
      policy_version: z.int().min(0).optional(),
    }),
  ),
});
