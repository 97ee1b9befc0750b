import type { EnvironmentStatusReply, StatusReply } from '@lachesis/protocol';
import { z } from 'zod';

/* The replies of the Atropos door that a client of ours reads. */

export const statusReplySchema: z.ZodType<StatusReply> = z.object({ current_step: z.int(), queue_size: z.int() });

export const environmentStatusReplySchema: z.ZodType<EnvironmentStatusReply> = z.object({
  current_step: z.int(),
  queue_size: z.int(),
  unallocated_fraction: z.number(),
  self_queue_size: z.int(),
  max_group_size: z.int(),
  env_weight: z.number(),
});

const registeredEnvironmentSchema = z.object({
  status: z.literal('success'),
  env_id: z.int(),
  wandb_name: z.string(),
  checkpoint_dir: z.string(),
  /** The step the run is at. */
  starting_step: z.int(),
  checkpoint_interval: z.int(),
  num_steps: z.int(),
});

/** What an environment is told when it is let in. */
export type RegisteredEnvironment = Omit<z.infer<typeof registeredEnvironmentSchema>, 'status'>;

export const environmentRegistrationReplySchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('wait for trainer to start') }),
  registeredEnvironmentSchema,
]);

export const disconnectReplySchema = z.object({ status: z.string(), error: z.string().optional() });
