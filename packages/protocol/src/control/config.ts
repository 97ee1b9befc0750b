import { z } from 'zod';
import { boundedValueSchema } from './bounded-value.ts';
import { fieldBoundsSchema } from './field-bounds.ts';
import { fieldKindSchema } from './field-kind.ts';

/** One field of the configuration of the next run. */
export const configFieldSchema = z.looseObject({
  name: z.string(),
  /** `integer`, `number`, `boolean`, `string`, `list`, `object`, or the choices `a|b|c`. */
  type: z.string(),
  default: z.unknown(),
  description: z.string(),
  current_value: z.unknown(),
  /** What its value can do; absent where an older server answers. */
  kind: fieldKindSchema.optional(),
  /** What a value must hold besides its type; absent where nothing is asked, and from an older server. */
  bounds: fieldBoundsSchema.optional(),
});

export type ConfigField = z.infer<typeof configFieldSchema>;

/**
 * Reply of `GET /config`: what the next run will be started with, and which fields can be changed. Locked fields come
 * from the recipe the server was started with; tools read them and never change them.
 */
export const controlConfigSchema = z.looseObject({
  /** Null until one was selected. */
  environment: z.string().nullable(),
  /** The recipe the locked values come from. */
  recipe: z.string().optional(),
  configurable_fields: z.array(configFieldSchema),
  locked_fields: z.array(configFieldSchema),
});

export type ControlConfig = z.infer<typeof controlConfigSchema>;

/** Body of `POST /config`: one field of the next run, and its new value. */
export const configEditSchema = z.strictObject({ field: z.string().min(1).max(200), value: boundedValueSchema });

export type ConfigEdit = z.infer<typeof configEditSchema>;

/** What `POST /config` answers: the field as it is now, and the whole configuration. */
export const configEditReplySchema = z.looseObject({
  message: z.string(),
  field: z.string(),
  value: z.unknown(),
  config: controlConfigSchema,
});

export type ConfigEditReply = z.infer<typeof configEditReplySchema>;

/** `GET /config/estimate`: what the next run may take. Costs are in US dollars and absent when no price is known. */
export const runEstimateSchema = z.looseObject({
  steps: z.int().min(0),
  rollouts: z.int().min(0),
  /** Sampled and trained, at most. */
  tokens: z.int().min(0),
  /** As the last run of the same sizes took; null when there was none. */
  seconds: z.number().min(0).nullable(),
  /** As the quickest and the slowest of them took. */
  seconds_low: z.number().min(0).nullable().optional(),
  seconds_high: z.number().min(0).nullable().optional(),
  cost: z.number().min(0).nullable(),
  /** The run ends itself when it has cost this much. */
  budget: z.number().min(0).nullable().optional(),
  /** The run ends itself when it has used this many tokens. */
  max_tokens: z.int().min(0).nullable().optional(),
  /** The run ends itself when it has made this many steps. */
  max_steps: z.int().min(0).nullable().optional(),
});

export type RunEstimate = z.infer<typeof runEstimateSchema>;
