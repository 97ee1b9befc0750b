import { z } from 'zod';
import { ledgerSchema } from '../trajectory-api/ledger.ts';

/** Reply of `GET /runs/{id}/ledger`: where every group of a run is. All zero for a run without a queue. */
export const runLedgerSchema = ledgerSchema.omit({ incarnation_id: true }).extend({ run_id: z.string() });

/** Where every group of a run is; `produced` is the sum of the rest. */
export type RunLedger = z.infer<typeof runLedgerSchema>;
