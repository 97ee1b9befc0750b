import { z } from 'zod';

import { countSchema, instantSchema } from './fields.ts';

/** One line of GET /v1/events. */
export const eventSchema = z.object({
  /** Ascends by event within a run; a reader continues after the last one it saw. */
  cursor: countSchema,
  /** Noun and verb, such as `batch-leased`. */
  kind: z.string().min(1),
  at: instantSchema,
  data: z.record(z.string(), z.unknown()),
  /** Chained over the events before it, so that a missing or altered one shows. */
  hash: z.string().min(1),
});
