import { z } from 'zod';
import { boundedValueSchema } from '../control/bounded-value.ts';

/** More environments than anybody mixes in one run. */
const MOST_ENVIRONMENTS = 16;

/** Several environments of one run: which, how much of what is trained on each is, and fields of its section `env`. */
export const environmentMixSchema = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(500),
      /** Against the weights of the others: 3 and 1 train three sequences of the first for one of the second. */
      weight: z.number().positive().max(1_000_000).default(1),
      config: boundedValueSchema.pipe(z.record(z.string(), z.unknown())).default({}),
    }),
  )
  .min(1)
  .max(MOST_ENVIRONMENTS)
  .refine((mix) => new Set(mix.map(({ name }) => name)).size === mix.length, 'names an environment twice');

export type EnvironmentMix = z.infer<typeof environmentMixSchema>;
