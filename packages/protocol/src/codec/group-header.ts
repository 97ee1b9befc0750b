import { z } from 'zod';
import { MAX_REASON_LENGTH, MAX_TAG_LENGTH, OUTCOMES, SPLITS } from './header-fields.ts';

/** The facts about a group that are not arrays. Fields a reader does not know are dropped, so an older reader reads a newer file. */
export const groupHeaderSchema = z.object({
  /** The producer's id of the group; the server gives one when absent. */
  group_id: z.uuid().optional(),
  /** One id per sequence, or none. Sequences of one rollout, whose history was split, have the same id and the same score. */
  rollout_ids: z.array(z.uuid()).default([]),
  /** The number the server gave the environment at registration. */
  env_id: z.int().nullable().default(null),
  /** The environment's name. */
  environment: z.string().max(MAX_TAG_LENGTH).optional(),
  /** Which build of the environment made the group. */
  environment_digest: z.string().max(MAX_TAG_LENGTH).optional(),
  /** Which build of the verifier scored it. */
  verifier_digest: z.string().max(MAX_TAG_LENGTH).optional(),
  split: z.enum(SPLITS).default('train'),
  /** What the people in the data agreed to, as a tag. */
  consent: z.string().max(MAX_TAG_LENGTH).default('unspecified'),
  outcome: z.enum(OUTCOMES).default('scored'),
  /** Why the outcome is not `scored`. */
  reason: z.string().max(MAX_REASON_LENGTH).optional(),
  /** The environment's name for the task, the same each time it comes up. Groups of before carry none. */
  item: z.string().max(MAX_TAG_LENGTH).optional(),
  /**
   * Scored rollouts that were made for this group's place and are in no group, such as those of groups whose scores were all
   * equal. With them the mean reward of all rollouts is known where a batch is trained.
   */
  set_aside: z.object({ groups: z.int().min(0), rollouts: z.int().min(0), reward_sum: z.number() }).optional(),
});

/** A header as read: defaults filled in. */
export type GroupHeader = z.infer<typeof groupHeaderSchema>;

/** A header as a producer may write it: everything optional. */
export type GroupHeaderInput = z.input<typeof groupHeaderSchema>;
