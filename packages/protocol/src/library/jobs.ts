import { z } from 'zod';

const count = z.int().min(0);

const jobSchema = z.object({
  name: z.string(),
  /** All of its items: the counts come to it. */
  item_count: count,
  /** `leased` is in the hands of a worker, or was until its lease ran out; `failed` has no attempt left. */
  counts: z.object({ ready: count, leased: count, done: count, discarded: count, failed: count }),
  /** US dollars, of all attempts; what nobody knows the price of counts as 0. */
  cost: z.number(),
  /** Whether somebody works on it: a lease of one of its items has not run out. */
  is_worked_on: z.boolean(),
  created_at: z.int(),
  /** When items or settings last came to it. What becomes of an item is not written here. */
  changed_at: z.int(),
});

/** Jobs of many items, such as those of `lachesis batch`: which there are, and how far each is. What went in and what came out is not told. */
export const jobSchemas = {
  query: z.strictObject({
    /** Each is counted over all of its items. */
    limit: z.int().min(1).max(100).default(20),
    /** `next` of the page before: goes on behind it. */
    before: z.string().min(1).max(500).optional(),
  }),
  /** `GET /jobs`: the newest first. */
  list: z.object({
    jobs: z.array(jobSchema),
    /** Give it as `before` for the next page; null on the last. */
    next: z.string().nullable(),
  }),
  /** `GET /jobs/{ref}`. */
  detail: jobSchema.extend({
    /** The first of the items that failed, by their places in the job, without what settings take out of records. */
    failures: z.array(z.object({ index: count, attempts: count, reason: z.string().nullable() })),
  }),
};
