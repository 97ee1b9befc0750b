import { z } from 'zod';

/** Why a stream that had begun ends without its end. */
export const streamFailureSchema = z.object({
  failed: z.object({ message: z.string(), hint: z.string().optional() }),
});

/** Work that takes a while: what is being done, and that it is still being done. */
export const streamProgressSchema = z.union([z.object({ said: z.string() }), z.object({ waiting: z.literal(true) })]);
