import { z } from 'zod';

import { countSchema, idSchema } from './fields.ts';

/** Reply of GET /v1/ledger: where every group that was ever accepted is now. */
export const ledgerSchema = z.object({
  run_id: idSchema,
  incarnation_id: idSchema,
  produced: countSchema,
  pending: countSchema,
  buffered: countSchema,
  formed: countSchema,
  leased: countSchema,
  /** Sent to a plain trainer, which never says that it trained. */
  delivered_unconfirmed: countSchema,
  trained: countSchema,
  quarantined: countSchema,
  /** By reason. */
  dropped: z.record(z.string(), countSchema),
  /** Whether `produced` is the sum of the rest. */
  balanced: z.boolean(),
});

export type Ledger = z.infer<typeof ledgerSchema>;

/** Whether the counts add up. */
export function isBalanced(ledger: Omit<Ledger, 'balanced'>): boolean {
  const dropped = Object.values(ledger.dropped).reduce((sum, count) => sum + count, 0);
  const { pending, buffered, formed, leased, delivered_unconfirmed: unconfirmed, trained, quarantined } = ledger;
  return ledger.produced === pending + buffered + formed + leased + unconfirmed + trained + quarantined + dropped;
}
