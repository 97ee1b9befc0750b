import { z } from 'zod';
import { trajectoryFilterSchema, trajectorySummarySchema } from '../trajectory/trajectory.ts';

/** Who sits there: another for each tab and each terminal, so that two of them never get the same. */
const seat = z.string().regex(/^[A-Za-z0-9._:@-]{1,100}$/, 'must be letters, digits and . _ : @ -, at most 100');

const trajectoryIds = z.array(z.string().min(1).max(200)).max(100);

/** What there is to rate, handed out so that no two raters get the same. */
export const ratingQueueSchemas = {
  /** `POST /v1/queue/next`. */
  request: z.strictObject({
    seat,
    filter: trajectoryFilterSchema.default({}),
    /** How many are wanted; 0 only holds what is held. */
    count: z.int().min(0).max(20).default(1),
    /** Goes on behind what was handed out, or begins anew without it. */
    cursor: z.string().max(500).optional(),
    /** Of what this seat was given, what it still needs. */
    holding: trajectoryIds.default([]),
    /** Also what people have rated already. */
    all: z.boolean().default(false),
  }),
  reply: z.object({
    /** Of this seat alone, until their lease ends or they are given back. */
    trajectories: z.array(trajectorySummarySchema),
    /** Of `holding`, what somebody else has by now. */
    lost: z.array(z.string()),
    lease_seconds: z.number(),
    /** Null when there was nothing behind what was handed out. */
    next_cursor: z.string().nullable(),
    /** How many fit and are not rated yet, those of others included; at most 10,000 are counted. Null where a text is looked for. */
    remaining: z.int().nullable(),
  }),
  /** `POST /v1/queue/release`. */
  release: z.strictObject({ seat, trajectories: trajectoryIds }),
  released: z.object({ released: z.int() }),
};
