import { CLOCK_SQL } from '../database/clock-sql.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import type { Lease, LeaseKey, LeaseState } from './lease.ts';
import { leaseSql } from './lease-sql.ts';

type Dialect = Pick<Store, 'dialect'>;

const OF_KEY = 'tenant_id = ? and kind = ? and resource = ?';
const keyOf = ({ tenantId, kind, resource }: LeaseKey): string[] => [tenantId, kind, resource];

/**
 * Acquires the lease as it was seen, or changes no row: somebody else was faster, or its holder renewed it. `from` is a holder from
 * whom it may be taken before its end.
 */
export function acquireStatement(
  { dialect }: Dialect,
  lease: Lease,
  { seen, seconds, from }: { seen: LeaseState | undefined; seconds: number; from: string | null },
): WriteStatement {
  if (seen === undefined) {
    const until = leaseSql.extend(dialect, seconds).replace('lease_expires_at = ', '');
    return writeSql({
      ...{ dialect, expectRows: 1 },
      text: `insert into leases (tenant_id, kind, resource, holder, epoch, lease_expires_at)
        values (?, ?, ?, ?, 1, ${until}) on conflict do nothing`,
      parameters: [...keyOf(lease), lease.holder],
    });
  }
  return writeSql({
    ...{ dialect, expectRows: 1 },
    text: `update leases set ${leaseSql.acquire(dialect, seconds)}
      where ${OF_KEY} and epoch = ? and (holder is null or ${leaseSql.isExpired(dialect)} or holder = ?)`,
    parameters: [lease.holder, ...keyOf(lease), seen.epoch, from],
  });
}

const changeHeld = ({ dialect }: Dialect, lease: Lease, columns: string): WriteStatement =>
  writeSql({
    ...{ dialect, expectRows: 1 },
    text: `update leases set ${columns} where ${OF_KEY} and ${leaseSql.isHeld}`,
    parameters: [...keyOf(lease), lease.holder, lease.epoch],
  });

export const renewStatement = (store: Dialect, lease: Lease, seconds: number): WriteStatement =>
  changeHeld(store, lease, leaseSql.extend(store.dialect, seconds));

export const releaseStatement = (store: Dialect, lease: Lease): WriteStatement =>
  changeHeld(store, lease, leaseSql.release);

/**
 * Goes before the writes of a holder in their unit. It is an update, which changes nothing, and not a read: it holds the row until
 * the unit is committed, so nobody acquires the lease between the two.
 */
export const fenceStatement = (store: Dialect, lease: Lease): WriteStatement =>
  changeHeld(store, lease, 'epoch = epoch');

/** How a lease stands, and the database's clock at that moment. */
export async function readLease(
  store: Store,
  key: LeaseKey,
): Promise<{ state: LeaseState | undefined; isExpired: boolean }> {
  const { query } = writeSql({
    dialect: store.dialect,
    text: `select holder, epoch, lease_expires_at, ${CLOCK_SQL[store.dialect]} as now from leases where ${OF_KEY}`,
    parameters: keyOf(key),
  });
  const { rows } = await store.db.executeQuery<{
    holder: string | null;
    epoch: number;
    lease_expires_at: number | null;
    now: number;
  }>(query);
  const [row] = rows;
  if (row === undefined) return { state: undefined, isExpired: true };
  const { holder, epoch, lease_expires_at: expiresAt, now } = row;
  return { state: { holder, epoch, expiresAt }, isExpired: (expiresAt ?? 0) <= now };
}
