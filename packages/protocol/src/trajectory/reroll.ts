import { z } from 'zod';
import { chatMessageSchema } from '../chat/message.ts';
import { streamFailureSchema, streamProgressSchema } from '../library/stream-lines.ts';

/** Where replies come from that somebody asked for again: no application saw them. */
export const REROLL_SOURCE = 'reroll';

/** The trajectory that holds what was sampled again from turns of another; it is forgotten with it. */
export const rerollKey = (trajectoryId: string): string => `${REROLL_SOURCE}:${trajectoryId}`;

/** Another reply to a turn, sampled from the exact tokens before it by the model that serves now. */
export const rerollSchemas = {
  ask: z.strictObject({
    /** As the turn was asked for when left out, else 512. */
    max_tokens: z.int().min(1).max(1_000_000).optional(),
    /** The same seed on the same weights gives the same reply; another each time when left out. */
    seed: z.int().min(0).max(2_000_000_000).optional(),
  }),
  /** A line of the answer: where the new reply was recorded, and at the end `done`. */
  line: z.union([
    z.object({
      rerolled: z.object({
        /** Of the new reply; feedback of the kind `choice` names both. */
        trajectory_id: z.string(),
        turn_index: z.int(),
        /** Who wrote it. */
        model: z.string(),
        /** Tokens that it was sampled from. */
        prompt_tokens: z.int(),
        tokens: z.int(),
        reply: chatMessageSchema,
      }),
    }),
    streamProgressSchema,
    streamFailureSchema,
    z.object({ done: z.literal(true) }),
  ]),
};
