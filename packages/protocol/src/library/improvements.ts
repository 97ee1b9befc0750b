import { z } from 'zod';
import { trajectoryFilterSchema } from '../trajectory/trajectory.ts';

const jsonObject = z.record(z.string(), z.unknown());

const IMPROVEMENT_STATES = ['waiting', 'running', 'interrupted', 'ended'] as const;

/** What an improvement was asked to do. It is kept with it, so that whoever goes on does the same. */
export const improvePlanSchema = z.strictObject({
  /** The name in the registry that gets better. */
  model: z.string().min(1),
  /** Where nothing of that name is promoted: the base model, `engine` for the first one the engine offers. */
  base_model: z.string().min(1).default('engine'),
  method: z.enum(['sft', 'dpo', 'kto']).default('dpo'),
  /** Which trajectories are looked at. Without a `model` in it: those that this name served, in all its versions. */
  filter: trajectoryFilterSchema.prefault({}),
  /** Whatever model was recorded, that of other applications too. */
  all_models: z.boolean().default(false),
  /** Ratings that an improvement has used count once more. */
  again: z.boolean().default(false),
  /** Rules that rate, and score replies in the evaluation; as they stood in their file. */
  rules: z.array(z.json()).nullable().default(null),
  /** A model that does the same. */
  judge: z
    .strictObject({ base_url: z.string(), model: z.string(), rubric: z.string(), rubric_name: z.string() })
    .nullable()
    .default(null),
  /** Of sft: what a reply has to be rated at least, from 0 to 1, to be learnt. */
  min_rating: z.number().min(0).max(1).default(0.75),
  /** New ratings that have to be there. */
  min_ratings: z.int().min(0).default(20),
  /** Rows that the data set has to have. */
  min_rows: z.int().min(1).default(8),
  /** Held-out items that both models have to be measured on. */
  min_items: z.int().min(2).default(8),
  /** The mean gain has to be more than this, and its 95 % interval above 0. */
  min_gain: z.number().min(0).default(0),
  /**
   * Of pairs measured by likelihood: how much less likely, in nats a token, the preferred replies may become. Training can
   * make the rejected ones unlikely and the preferred ones with them; such a model ranks well and writes neither.
   */
  max_fall: z.number().min(0).default(0.5),
  /** Share of the prompts that are kept for measuring, and never trained on. */
  held_out_share: z.number().gt(0).lt(1).default(0.2),
  /** Of the split and of the sampling. */
  seed: z.int().min(0).default(0),
  /** Replies to each held-out prompt; their mean counts. */
  replies: z.int().min(1).max(64).default(1),
  max_reply_tokens: z.int().min(1).default(256),
  temperature: z.number().min(0).default(1),
  /** Settings of the training, by the names in its file. */
  training: z.record(z.string(), z.json()).default({}),
});

/** A plan with every default filled in. */
export type ImprovePlan = z.infer<typeof improvePlanSchema>;

/** One improvement of a model: where it stands, and how it ended. */
export const improvementSchema = z.object({
  improvement_id: z.string(),
  model: z.string(),
  /** What is to be done next; the last one done when it has ended. */
  stage: z.string(),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  /** What stopped the last try at its stage. */
  problem: z.string().nullable(),
  /** Those that are done, the first one first. */
  stages: z.array(z.object({ stage: z.string(), content: jsonObject })),
  /** `running`: a process brings it on. `waiting`: a server takes it up. `interrupted`: nobody does until it is resumed. */
  state: z.enum(IMPROVEMENT_STATES),
  /** What its stage is doing, as was last said. */
  progress: z.string().nullable(),
  created_at: z.int(),
  ended_at: z.int().nullable(),
});

export type ModelImprovement = z.infer<typeof improvementSchema>;

/** `GET /improvements`: improvements of models with the stage each has reached. */
export const improvementListSchema = z.object({ improvements: z.array(improvementSchema) });

/** What `GET /improvements` may be asked for: those of one model. */
export const improvementQuerySchema = z.strictObject({ model: z.string().min(1).max(200).optional() });

/** What a start answers: the improvement of the model that is open, whether or not this call began it. */
export const improvementStartSchema = improvementSchema.extend({
  /** False: one was open, and goes on with its own settings. */
  is_new: z.boolean(),
});
