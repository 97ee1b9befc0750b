import { CLOCK_SQL } from '../database/clock-sql.ts';
import type { StoreDialect } from '../migrations/migration.ts';

/** In milliseconds and whole, as text of a statement. */
const spanOf = (seconds: number): number => Math.round(seconds * 1000);

/**
 * What a lease means, as parts of SQL on the columns `holder`, `epoch` and `lease_expires_at`: the same for the table of leases
 * and for rows that carry their own. Every time in here is the database's: a holder whose clock is wrong, or who
 * slept, cannot make a lease longer or take one early.
 */
export const leaseSql = {
  /** Nobody's any more. */
  isExpired: (dialect: StoreDialect): string => `lease_expires_at <= ${CLOCK_SQL[dialect]}`,
  /** Takes the name of the new holder as its parameter. */
  acquire: (dialect: StoreDialect, seconds: number): string =>
    `epoch = epoch + 1, holder = ?, ${leaseSql.extend(dialect, seconds)}`,
  extend: (dialect: StoreDialect, seconds: number): string =>
    `lease_expires_at = ${CLOCK_SQL[dialect]} + ${spanOf(seconds)}`,
  release: 'holder = null, lease_expires_at = null',
  /**
   * Takes holder and epoch. The expiry is not asked: until somebody else acquires a lease that ran out it is safe in the hands
   * it is in, and from then on its epoch is another.
   */
  isHeld: 'holder = ? and epoch = ?',
} as const;
