import { z } from 'zod';

import { laxIntSchema, laxStringSchema } from './lax-fields.ts';

/** Body of `POST /register`, with which a trainer opens a run. The first one opens the run. */
export const registrationSchema = z.object({
  wandb_group: laxStringSchema,
  wandb_project: laxStringSchema,
  /** Sequences per batch. */
  batch_size: laxIntSchema,
  /** Advisory: environments drop longer sequences themselves; 0 or less means no limit. */
  max_token_len: laxIntSchema,
  checkpoint_dir: laxStringSchema,
  save_checkpoint_interval: laxIntSchema,
  starting_step: laxIntSchema,
  num_steps: laxIntSchema,
});

/** Reply of POST /register: an integer, kept below 2^53 so that every JSON reader sees the same one. */
export const registrationNumberSchema = z.object({ uuid: z.number() });

/** Reply of GET /wandb_info: nulls before registration and after a reset. */
export const wandbInfoReplySchema = z.object({ group: z.string().nullable(), project: z.string().nullable() });

/** Reply of GET /info: -1 for what is not known. */
export const infoReplySchema = z.object({ batch_size: z.int(), max_token_len: z.int() });
