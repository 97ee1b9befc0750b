import { z } from 'zod';

import { countSchema, idSchema } from './fields.ts';

/** Body of `PUT /v1/registration`, with which a trainer opens a run or changes it. */
export const registrationRequestSchema = z.strictObject({
  /** Sequences per batch. */
  batch_size: z.int().min(1).max(1_000_000),
  /** Longest sequence the trainer takes. */
  max_token_len: z.int().min(1).optional(),
  /** How many steps a group may be old when it is handed out; unbounded when absent. */
  max_staleness: countSchema.optional(),
  starting_step: countSchema.optional(),
  num_steps: countSchema.optional(),
  checkpoint_dir: z.string().max(4096).optional(),
  /** Steps between checkpoints; 0 means none. */
  save_checkpoint_interval: countSchema.optional(),
  wandb_group: z.string().max(1000).optional(),
  wandb_project: z.string().max(1000).optional(),
});

/** Reply of `PUT /v1/registration`: the run, its incarnation, and the step it is at. */
export const registrationReplySchema = z.object({
  run_id: idSchema,
  incarnation_id: idSchema,
  batch_size: countSchema,
  current_step: countSchema,
});

export type NativeRegistrationReply = z.infer<typeof registrationReplySchema>;
