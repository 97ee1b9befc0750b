import type { LeasesTable } from '../schema/platform.ts';

/** How the lease on a row stands, read beside it; all null when it was never acquired. */
export type LeaseColumns = { [Column in 'epoch' | 'holder' | 'lease_expires_at']: LeasesTable[Column] | null };

export const LEASE_COLUMNS = ['leases.epoch', 'leases.holder', 'leases.lease_expires_at'] as const;
