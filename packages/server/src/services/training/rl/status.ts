import { z } from 'zod';

/** What a trainer is doing, for people, the control plane and `lachesis train`. */
export const trainerStatusSchema = z.object({
  /** `waiting`: for groups. `evaluating`: all steps are made, environments evaluate the last weights. `failed` and `finished` are ends. */
  state: z.enum(['evaluating', 'failed', 'finished', 'publishing', 'starting', 'stopped', 'training', 'waiting']),
  /** One sentence: who waits for whom, or what went wrong. */
  detail: z.string(),
  step: z.int(),
  total_steps: z.int(),
  policy_version: z.int(),
  model_id: z.string().nullable(),
  base_model: z.string().nullable(),
  /** The last saved weights, a `tinker://` path. */
  weights_path: z.string().nullable(),
  /** How this process came to its weights. */
  origin: z.enum(['attached', 'new', 'restored']).nullable(),
  /** Steps that were lost when the weights went back to a checkpoint. */
  lost_steps: z.int(),
  alarms: z.int(),
  /** Why it is finished: all steps are made, its evaluation no longer rose, or replies went too far from the weights it began with. */
  ended_by: z.enum(['early-stop', 'kl-budget', 'steps']).nullable(),
  /** Where its metrics are at W&B; the URL is null for a run that is kept offline. */
  wandb: z.object({ entity: z.string().nullable(), project: z.string(), url: z.string().nullable() }).nullable(),
  metrics: z.record(z.string(), z.number()).readonly(),
  started_at: z.number(),
});

export type TrainerStatus = z.infer<typeof trainerStatusSchema>;

export function createStatus(options: { totalSteps: number; startedAt: number }): TrainerStatus {
  return {
    state: 'starting',
    detail: 'connecting to the trajectory API',
    step: 0,
    total_steps: options.totalSteps,
    policy_version: 0,
    model_id: null,
    base_model: null,
    weights_path: null,
    origin: null,
    lost_steps: 0,
    alarms: 0,
    ended_by: null,
    wandb: null,
    metrics: {},
    started_at: options.startedAt,
  };
}
