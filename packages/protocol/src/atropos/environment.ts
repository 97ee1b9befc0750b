import { z } from 'zod';

import { laxFloatSchema, laxIntSchema, laxStringSchema } from './lax-fields.ts';

/** Body of `POST /register-env`, with which an environment says what it is. */
export const environmentRegistrationSchema = z.object({
  max_token_length: laxIntSchema,
  /** Made unique by the server, which appends how many had it before. */
  desired_name: laxStringSchema,
  weight: laxFloatSchema,
  /** Sequences per group. */
  group_size: laxIntSchema,
  /** Smallest share of each batch, 0 to 1; null asks for none. */
  min_batch_allocation: laxFloatSchema.nullish().transform((share) => share ?? null),
});

/** Body of POST /disconnect-env and of GET /status-env, which is a GET with a body. */
export const environmentIdentifierSchema = z.object({ env_id: laxIntSchema });

/**
 * Reply of `POST /register-env`: the number of the environment and where the trainer stands. Environments ask again
 * until the trainer has fetched for the first time.
 */
export const environmentRegistrationReplySchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('wait for trainer to start') }),
  z.object({
    status: z.literal('success'),
    env_id: z.int(),
    wandb_name: z.string(),
    checkpoint_dir: z.string(),
    /** The current step, not the one the trainer registered with. */
    starting_step: z.int(),
    checkpoint_interval: z.int(),
    num_steps: z.int(),
  }),
]);

export type EnvironmentRegistrationReply = z.infer<typeof environmentRegistrationReplySchema>;

/** Reply of POST /disconnect-env; a failure travels with status 200. */
export const environmentDisconnectReplySchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success') }),
  z.object({ status: z.literal('failure'), error: z.string() }),
]);
