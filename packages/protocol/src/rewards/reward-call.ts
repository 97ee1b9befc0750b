import { z } from 'zod';
import { chatMessageSchema } from '../chat/message.ts';

/** What a reward server is sent: a reply, and what it answers. */
export const rewardCallSchema = z.looseObject({
  /** Which model grades, where a server has several. */
  model: z.string().nullish(),
  /** The whole conversation; the reply that is graded is its last message. */
  messages: z.array(chatMessageSchema).min(1),
  /** The text of that reply. */
  reply: z.string(),
  /** What was wanted, where the task says so. */
  expected: z.unknown().optional(),
});

/** What a reward server answers: a number, or why there is none. */
export const rewardReplySchema = z.union([
  z.looseObject({
    reward: z.number(),
    /** The parts of the reward by name. */
    signals: z.record(z.string(), z.number()).nullish(),
    model: z.string().nullish(),
  }),
  z.looseObject({ abstained: z.string() }),
]);
