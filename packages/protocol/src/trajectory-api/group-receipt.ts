import { z } from 'zod';

import { idSchema } from './fields.ts';

/** Where an accepted group went; `recorded` ones are kept in the history and never handed out. */
export const GROUP_RECEIPT_STATUSES = Object.freeze(['queued', 'buffered', 'quarantined', 'recorded'] as const);

/** Reply of `POST /v1/groups`: the group is on disk, under this id. */
export const groupReceiptSchema = z.object({
  group_id: idSchema,
  status: z.enum(GROUP_RECEIPT_STATUSES),
  /** Why it was quarantined or only recorded. */
  reason: z.string().optional(),
  /** True when the idempotency key was seen before and nothing new was stored. */
  replayed: z.boolean(),
  /** How safe the group is when this reply leaves: `local` means on this server's disk. */
  durability: z.literal('local'),
});

export type GroupReceipt = z.infer<typeof groupReceiptSchema>;
