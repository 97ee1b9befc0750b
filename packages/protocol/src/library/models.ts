import { z } from 'zod';
import { chatMessageSchema, offeredToolSchema } from '../chat/message.ts';
import { isTokenIds, numbersSchema, tokenIdsSchema } from '../openai/token-ids.ts';
import { streamFailureSchema, streamProgressSchema } from './stream-lines.ts';

/* What the control process takes and gives about models, and about what was made from what. */

const jsonObject = z.record(z.string(), z.unknown());

/** One registered version of a model. */
export const modelVersionSchema = z.object({
  name: z.string(),
  version: z.int(),
  model_version_id: z.string(),
  base_model: z.string(),
  /** How it was made: `sft`, `dpo`, `kto`, `grpo`, `reward`, …; `base` for weights that were only named. */
  method: z.string(),
  /** Empty for the weights of the base model itself. */
  weights_path: z.string(),
  state_path: z.string().nullable(),
  run: z.string().nullable(),
  step: z.int().nullable(),
  /** The id of the version it was made from; null for the base model. */
  parent: z.string().nullable(),
  dataset: z.object({ name: z.string(), version: z.int(), digest: z.string() }).nullable(),
  config: jsonObject,
  evaluations: z.array(
    z.object({ evaluation_id: z.string(), name: z.string(), content: jsonObject, created_at: z.int() }),
  ),
  created_at: z.int(),
  /** Whether its name serves it. */
  is_promoted: z.boolean(),
  /** When the run that made it deleted its weights, because it keeps only so many.. */
  weights_deleted_at: z.int().nullish(),
});

export type RegisteredModel = z.infer<typeof modelVersionSchema>;

/** `GET /models`: registered versions, the newest first. */
export const modelVersionListSchema = z.object({ models: z.array(modelVersionSchema) });

/** What `GET /models` may be asked for: the versions of one name. */
export const modelQuerySchema = z.strictObject({ name: z.string().min(1).max(200).optional() });

/** One change of what a name serves. */
export const modelPromotionSchema = z.object({
  name: z.string(),
  ordinal: z.int(),
  kind: z.enum(['promoted', 'rolled-back']),
  version: z.int(),
  model_version_id: z.string(),
  reason: z.string(),
  by: z.string(),
  at: z.int(),
});

export type RegisteredPromotion = z.infer<typeof modelPromotionSchema>;

/** `GET /models/{ref}`: one version of a model, its parent, and when it was promoted. */
export const modelDetailSchema = z.object({
  model: modelVersionSchema,
  /** As `name@version`; null for the base model, or a parent that is not known any more. */
  parent_name: z.string().nullable(),
  /** Of its name, the oldest first. */
  promotions: z.array(modelPromotionSchema),
});

export type ModelDetail = z.infer<typeof modelDetailSchema>;

/** Why what a name serves is changed, and who does it. */
export const modelChangeSchema = z.strictObject({
  reason: z.string().min(1).max(2_000).default('by hand'),
  by: z.string().min(1).max(200),
});

export type ModelChange = z.input<typeof modelChangeSchema>;

/** What was measured of a model, by whoever measured it. The same twice is kept once. */
export const modelEvaluationSchema = z.strictObject({ name: z.string().min(1).max(200), content: jsonObject });

/** Two models on the same rows of a data set, on the engine of the server. */
export const modelComparisonSchema = z.strictObject({
  /** `name`, `name@3`, an id, or `base` for the base model of the other one. */
  left: z.string().min(1).max(200),
  right: z.string().min(1).max(200),
  dataset: z.string().min(1).max(200),
  split: z.string().min(1).max(200).optional(),
  /** At most so many rows. */
  limit: z.int().min(1).optional(),
  /** How likely each finds what is there; or replies, which the caller scores. */
  by: z.enum(['likelihood', 'replies']).default('likelihood'),
  replies: z.int().min(1).max(64).default(1),
  temperature: z.number().min(0).default(1),
  max_tokens: z.int().min(1).default(256),
  seed: z.int().min(0).default(0),
});

/** One line of the reply to a comparison of two models: the first says of what, the last that nothing is missing. */
export const modelComparisonLineSchema = z.union([
  z.object({ comparing: z.object({ dataset: z.string(), rows: z.int() }) }),
  z.object({ measured: z.object({ id: z.string(), left: z.number(), right: z.number() }) }),
  z.object({
    reply: z.object({
      row: z.int(),
      model: z.enum(['left', 'right']),
      messages: z.array(chatMessageSchema),
      reply: chatMessageSchema,
    }),
  }),
  streamProgressSchema,
  streamFailureSchema,
  z.object({ done: z.literal(true) }),
]);

/** Replies that a model writes from given tokens on, on the engine of the server. */
export const modelSampleSchemas = {
  ask: z.strictObject({
    /** `name`, `name@3` or an id; the base model of the engine when left out. */
    model: z.string().min(1).max(200).optional(),
    max_tokens: z.int().min(1).max(1_000_000).default(256),
    prompts: z
      .array(
        z.strictObject({
          tokens: z.custom<number[]>((ids) => isTokenIds(ids) && ids.length >= 1 && ids.length <= 4_000_000, {
            error: 'is not a list of one to four million token ids',
          }),
          /** What the reply may call, to read it. */
          tools: z.array(offeredToolSchema).optional(),
          seed: z.int().min(0).default(1),
        }),
      )
      .min(1)
      .max(1_000),
  }),
  /** A line of the answer: a reply for each prompt in order, null where it cannot be read or was cut off; at the end `done`. */
  line: z.union([
    z.object({
      sampled: z.object({
        tokens: tokenIdsSchema,
        /** Of each token; a server that does not send them yet leaves them out. */
        logprobs: numbersSchema.optional(),
        reply: chatMessageSchema.nullable(),
        /** What there is of one that was cut off. */
        partial: chatMessageSchema.optional(),
      }),
    }),
    streamProgressSchema,
    streamFailureSchema,
    z.object({ done: z.literal(true) }),
  ]),
} as const;

/** The trained weights of a model as files that PEFT loads; each is fetched by its name, from any byte on. */
const modelAdapterSchema = z.object({
  model_version_id: z.string(),
  rank: z.int(),
  warnings: z.array(z.string()),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
});

/** Of an answer that may have to wait for the engine: the last line is the adapter. */
export const modelAdapterLineSchema = z.union([
  z.object({ adapter: modelAdapterSchema }),
  streamProgressSchema,
  streamFailureSchema,
]);

/** The kinds of things whose origin is known: what was made from what. */
export const LINEAGE_SUBJECTS = ['feedback', 'trajectory', 'dataset', 'run', 'checkpoint', 'model'] as const;

const lineageNodeSchema = z.object({ kind: z.enum(LINEAGE_SUBJECTS), id: z.string() });

/** The things found in one direction, and the arrows between them. */
export const lineageTraceSchema = z.object({
  /** The nearest first, with the arrows between. */
  nodes: z.array(lineageNodeSchema.extend({ distance: z.int() })),
  arrows: z.array(z.object({ from: lineageNodeSchema, to: lineageNodeSchema, relation: z.string() })),
  /** Whether the limit ended the search: there may be more. */
  is_cut: z.boolean(),
});

export type LineageTrace = z.infer<typeof lineageTraceSchema>;

/** How many things `GET /lineage/{what}` follows before it stops. */
export const lineageQuerySchema = z.strictObject({ limit: z.int().min(1).max(1_000_000).optional() });

/** `GET /lineage/{what}`: what a thing was made from, what was made of it, and the names of all of them. */
export const lineageSchema = z.object({
  from: lineageNodeSchema,
  /** What it was made from. */
  back: lineageTraceSchema,
  /** What was made of it. */
  forward: lineageTraceSchema,
  /** What the models and data sets among them are called, by id: `support@2`. */
  names: z.record(z.string(), z.string()),
});

export type Lineage = z.infer<typeof lineageSchema>;
