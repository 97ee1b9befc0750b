import { CLOCK_SQL } from '../database/clock-sql.ts';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import type { Lease, LeaseKind } from './lease.ts';

interface KindOptions {
  store: Store;
  tenantId: string;
  kind: LeaseKind;
}

/** The leases of one kind that somebody holds now, and until when. */
export async function listLeases({ store, tenantId, kind }: KindOptions): Promise<(Lease & { expiresAt: number })[]> {
  const { query } = writeSql({
    dialect: store.dialect,
    text: `select resource, holder, epoch, lease_expires_at from leases
      where tenant_id = ? and kind = ? and holder is not null and lease_expires_at > ${CLOCK_SQL[store.dialect]}`,
    parameters: [tenantId, kind],
  });
  const { rows } = await store.db.executeQuery<{
    resource: string;
    holder: string;
    epoch: number;
    lease_expires_at: number;
  }>(query);
  return rows.map(({ lease_expires_at: expiresAt, ...row }) => ({ tenantId, kind, ...row, expiresAt }));
}

/**
 * Removes the rows of a kind that nobody holds, for things that are leased once and never written behind a fence. Who acquires one
 * at that moment finds it gone or finds it changed, and tries again.
 */
export async function tidyLeases({ store, tenantId, kind }: KindOptions & { kind: 'rating' }): Promise<void> {
  const { query } = writeSql({
    dialect: store.dialect,
    text: `delete from leases
      where tenant_id = ? and kind = ? and (holder is null or lease_expires_at <= ${CLOCK_SQL[store.dialect]})`,
    parameters: [tenantId, kind],
  });
  await store.commit({ statements: [{ query }] });
}
