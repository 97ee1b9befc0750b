/** A batch that is still on its way: waiting, held by a native trainer, being written to a plain trainer's socket. */
export const OPEN_BATCH_STATES = Object.freeze(['formed', 'leased', 'sending'] as const);
export type OpenBatchState = (typeof OPEN_BATCH_STATES)[number];

/** How a batch ended; a dissolved batch gave its groups back to the queue. */
export const BATCH_FATES = Object.freeze(['delivered', 'trained', 'dissolved', 'quarantined', 'dropped'] as const);
export type BatchFate = (typeof BATCH_FATES)[number];

/** Hot: batches formed and not yet ended. */
export interface OpenBatchesTable {
  tenant_id: string;
  incarnation_id: string;
  batch_id: string;
  ordinal: number;
  state: OpenBatchState;
  /** Fencing epoch: grows with every lease, and an answer that carries an older one is refused. */
  epoch: number;
  attempts: number;
  /** Who holds the lease; empty when nobody does. */
  owner: string;
  lease_expires_at: number | null;
  /** JSON text: the group ids in batch order. */
  group_ids: string;
  formed_at: number;
}

/** History: one row for each ended batch. */
export interface BatchesTable {
  tenant_id: string;
  batch_id: string;
  incarnation_id: string;
  ordinal: number;
  fate: BatchFate;
  epoch: number;
  attempts: number;
  step: number | null;
  policy_version: number | null;
  /** JSON text: the group ids in batch order. */
  group_ids: string;
  formed_at: number;
  ended_at: number;
}
