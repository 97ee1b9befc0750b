import { z } from 'zod';

/** More groups than any environment has under way. */
const MOST_GROUPS = 20_000;

/** Body of `POST /v1/trainer/progress`: what an environment asks its trainer while it serves. */
export const trainerProgressRequestSchema = z.strictObject({
  /** Its name. */
  environment: z.string().min(1).max(200),
  /** Groups it sent and whose step it does not know yet. */
  group_ids: z.array(z.uuid()).max(MOST_GROUPS),
  /** Nothing more comes from it, neither numbers of a step nor an evaluation. The end of a run waits for that. */
  is_done: z.boolean(),
});

export type TrainerProgressRequest = z.infer<typeof trainerProgressRequestSchema>;

/** How far the trainer is, and into which steps groups went. */
export const trainerProgressSchema = z.object({
  /** The last step that a batch was taken for. */
  taken_step: z.int().min(0),
  /** The last step whose weights are served. */
  served_step: z.int().min(0),
  /** The last step is made; the trainer waits for what environments still have to tell. */
  is_over: z.boolean(),
  /**
   * Strictly on-policy runs only: names the wait for a batch that is to be sampled from the weights that are served; null
   * while a batch is trained on. Another name is another batch.
   */
  round: z.string().max(100).nullish(),
  /** Those of the groups asked for that are in a batch. */
  groups: z.record(z.string(), z.object({ step: z.int().min(0), taken_seconds_ago: z.number().min(0) })),
});

export type TrainerProgress = z.infer<typeof trainerProgressSchema>;
