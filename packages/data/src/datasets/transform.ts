import { z } from 'zod';

/** The same prompts fall into the same split whatever else is in the set, so that a later version does not leak. */
const splitSchema = z.strictObject({
  kind: z.literal('split'),
  seed: z.string().min(1),
  /** By name; they are shares of their sum. */
  shares: z
    .record(z.string().regex(/^\w[\w.-]*$/), z.number().min(0))
    .refine((shares) => Object.values(shares).some((share) => share > 0), {
      error: 'at least one share has to be above 0',
    }),
});

/** What becomes of rows on their way into a set, in the order they are given. Kept in the version's recipe as it was said. */
export const transformSchema = z.discriminatedUnion('kind', [
  /** `whole`: rows that say the same. `prompt`: rows that ask the same; the first stays. */
  z.strictObject({ kind: z.literal('dedupe'), by: z.enum(['whole', 'prompt']).default('whole') }),
  /** Which replies are trained: the others get the weight 0 and a mask of 0, and stay as what the model reads. */
  z.strictObject({ kind: z.literal('mask'), train: z.enum(['all-replies', 'last-reply', 'final-answers']) }),
  splitSchema,
  z.strictObject({
    kind: z.literal('cap'),
    rows: z.int().min(1).optional(),
    per_prompt: z.int().min(1).optional(),
    per_model: z.int().min(1).optional(),
  }),
  /** `reward` and `rating` become the weight of the row; without one it is `otherwise`. */
  z.strictObject({
    kind: z.literal('weights'),
    by: z.enum(['reward', 'rating', 'constant']),
    otherwise: z.number().min(0).default(1),
    min: z.number().min(0).default(0),
    max: z.number().min(0).default(1),
  }),
  /** Leaves out rows that were cut off, ended in an error, or have no reply. */
  z.strictObject({ kind: z.literal('complete') }),
]);

export type Transform = z.infer<typeof transformSchema>;
export type TransformInput = z.input<typeof transformSchema>;
