import { z } from 'zod';

import { countSchema, digestSchema, idSchema, instantSchema } from './fields.ts';

/** A group that is kept but never handed out. */
export const quarantinedGroupSchema = z.object({
  group_id: idSchema,
  reason: z.string(),
  at: instantSchema,
  /** The batch it failed in, when it was quarantined for failing. */
  batch_id: idSchema.nullable(),
  env_id: z.int().nullable(),
  sequence_count: countSchema,
  token_count: countSchema,
  digest: digestSchema,
  bytes: countSchema,
});

/** Reply of `GET /v1/quarantine`: groups that were set aside and are in no batch. */
export const quarantineListSchema = z.object({
  groups: z.array(quarantinedGroupSchema),
  /** Give it back as `cursor` for the next page; null on the last one. */
  next_cursor: z.string().nullable(),
});
