import { z } from 'zod';
import type { ScoredData } from './scored-data.ts';

/** Reply of GET /batch: null while there is no full batch; an error, with status 200, before any registration. */
export const batchReplySchema = z.union([
  z.object({ status: z.literal('error'), message: z.string(), batch: z.tuple([]) }),
  // Groups are long; the codec checks them one by one.
  z.object({ batch: z.array(z.custom<ScoredData>()).nullable() }),
]);
