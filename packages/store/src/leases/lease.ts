/** What is leased as a whole. Items of bulk work have the same columns in their own rows. */
export const LEASE_KINDS = [
  ...(['supervision', 'record-training', 'improvement', 'rating'] as const),
  ...(['replica', 'run-queue', 'collection'] as const),
] as const;
export type LeaseKind = (typeof LEASE_KINDS)[number];

/** Which thing. */
export interface LeaseKey {
  tenantId: string;
  kind: LeaseKind;
  resource: string;
}

/** The right to write about a thing, as its holder carries it. */
export interface Lease extends LeaseKey {
  /** Who has it; another for each life of a process. */
  holder: string;
  /** Another for each time it was acquired. */
  epoch: number;
}

/** How a lease stands in the database. */
export interface LeaseState {
  holder: string | null;
  epoch: number;
  expiresAt: number | null;
}
