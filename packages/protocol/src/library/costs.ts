import { z } from 'zod';

const sums = {
  trajectories: z.int(),
  turns: z.int(),
  completion_tokens: z.int(),
  /** US dollars, of those whose price is known; null where none is. */
  cost: z.number().nullable(),
  /** Trajectories of which no call has a price: they are in no sum, and cost more than nothing. */
  without_cost: z.int(),
};

/** What recorded calls have cost, put together by run, model or day. */
export const costSchemas = {
  /** `GET /v1/costs`. */
  query: z.strictObject({
    by: z.enum(['run', 'model', 'day']).default('model'),
    /** Milliseconds since 1970: trajectories that began then or later, and before. */
    since: z.int().optional(),
    until: z.int().optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  reply: z.object({
    by: z.enum(['run', 'model', 'day']),
    /** The costliest first, days from the newest. `group` is null for what was recorded without a run or a model. */
    rows: z.array(z.object({ group: z.string().nullable(), ...sums })),
    /** Of everything, also of what `limit` left out. */
    total: z.object(sums),
  }),
};
