import { z } from 'zod';
import { logEventSchema } from './logs.ts';
import { metricsEventSchema, statusEventSchema } from './metrics.ts';
import { runEventListSchema, runListSchema } from './run.ts';

/** Each costs the server a look twice a second. */
const MOST_TOPICS = 64;

/** One stream for a page, whatever it shows: `GET /v1/stream`. */
export const streamSchemas = {
  query: z.strictObject({
    /**
     * What is followed, separated by commas: `runs`, `metrics:<run>`, `events:<run>`, `logs:<run>:<role>`. Behind an `@` stands the
     * `at` of the last event of that topic, to go on from there.
     */
    topics: z
      .string()
      .min(1)
      .max(8_000)
      .transform((text) => [...new Set(text.split(',').map((topic) => topic.trim()))].filter((topic) => topic !== ''))
      .pipe(z.array(z.string().max(300)).min(1).max(MOST_TOPICS)),
  }),
  /** The data of every event: its topic, where to go on behind it, and what the topic tells. */
  event: z.union([
    /** `runs`: those that are new or have changed, at the beginning the newest hundred. */
    z.object({ topic: z.string(), at: z.null(), runs: runListSchema.shape.runs }),
    /** `metrics`, `status` and `end` of `metrics:<run>`. */
    metricsEventSchema.extend({ topic: z.string(), at: z.int() }),
    statusEventSchema.extend({ topic: z.string(), at: z.int() }),
    /** `events` of `events:<run>`: its history, as it is written. */
    runEventListSchema.extend({ topic: z.string(), at: z.int() }),
    /** `lines` of `logs:<run>:<role>`. */
    logEventSchema.extend({ topic: z.string(), at: z.int() }),
    /** `end`: the run has ended, and everything of this topic was sent. The stream goes on. */
    z.object({ topic: z.string(), at: z.int() }),
  ]),
};
