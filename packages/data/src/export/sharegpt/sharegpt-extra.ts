import type { ConversationRecord } from '@lachesis/protocol';
import { z } from 'zod';

/** Under which name in `extra` the readers of ShareGPT files keep what a record has no field for. */
export const SHAREGPT_EXTRA = 'sharegpt';

const extraSchema = z.object({
  /** The entry with null for its conversation, as JSON text: numbers such as 1.0 and the order of the fields stay. */
  fields: z.string().optional(),
  /** Elements that are written otherwise than they were found: what we write, and what was there. */
  replaced: z.array(z.tuple([z.string(), z.string()])).optional(),
  /** No reply of the source had a thinking block. */
  has_no_think: z.boolean().optional(),
  /** The names of roles in the source. */
  roles: z.enum(['hermes', 'openai']).optional(),
  /** Element 0 where it is not what the default preamble would be. Null: there was none. */
  system: z.string().nullable().optional(),
});

export type ShareGptExtra = z.infer<typeof extraSchema>;

export function readShareGptExtra({ extra }: Pick<ConversationRecord, 'extra'>): ShareGptExtra {
  const parsed = extraSchema.safeParse(extra[SHAREGPT_EXTRA]);
  return parsed.success ? parsed.data : {};
}
