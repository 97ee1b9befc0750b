import { z } from 'zod';
import type { SamplerReply } from '../tokens/policy-sampler.ts';

/** One reply, or one for each prompt, in the shape that was asked for. */
export const generateReplySchema = z.union([z.looseObject({}), z.array(z.looseObject({}))]);

/** What goes to the caller, and what it was made from. */
export interface GenerateAnswer {
  answer: z.input<typeof generateReplySchema>;
  sampled: SamplerReply[];
}
