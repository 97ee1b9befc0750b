import { z } from 'zod';

/** Reply of `GET /status`: the step and how many groups wait. */
export const statusReplySchema = z.object({
  current_step: z.int(),
  /** Groups, not sequences. */
  queue_size: z.int(),
});

/** Reply of `GET /status-env`: what one environment needs to pace itself. */
export const environmentStatusReplySchema = z.object({
  current_step: z.int(),
  /** Groups of the asking environment's size that wait, others' minimums taken off. */
  queue_size: z.number(),
  /** The share of a batch that no environment has reserved. */
  unallocated_fraction: z.number(),
  /** Groups of its own that wait. */
  self_queue_size: z.number(),
  /** Sequences in the largest group that waits, at least 1. */
  max_group_size: z.number(),
  env_weight: z.number(),
  /** Its share of every batch, where environments have different weights; absent else, and from other servers. */
  batch_share: z.number().optional(),
});

export type EnvironmentStatusReply = z.infer<typeof environmentStatusReplySchema>;

/** Reply of `GET /`, by which Atropos clients know the server. */
export const rootReplySchema = z.object({ message: z.literal('AtroposLib API') });
