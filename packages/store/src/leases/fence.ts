import type { Store } from '../database/store.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import type { Lease } from './lease.ts';
import { fenceStatement } from './lease-statements.ts';
import { refuseWrites } from './refuse-writes.ts';

/**
 * The store as a holder writes to it: every commit is kept only while the lease is the holder's, and a LeaseLostError otherwise.
 * Reads go on as before; a write that is not a commit is refused, because nothing would fence it.
 */
export function fence({ store, lease }: { store: Store; lease: Lease }): Store {
  const guard = fenceStatement(store, lease);
  let reader: Store['db'] | undefined;
  return {
    dialect: store.dialect,
    get db() {
      return (reader ??= refuseWrites(store));
    },
    async commit(unit, options) {
      try {
        return await store.commit({ statements: [guard, ...unit.statements] }, options);
      } catch (error) {
        throw StaleWriteError.isInstance(error) ? explain(error, lease) : error;
      }
    },
    now: () => store.now(),
    close: () => store.close(),
  };
}

function explain(error: StaleWriteError, lease: Lease): Error {
  const { statementIndex, expectedRows, actualRows } = error;
  if (statementIndex === 0) return leaseLost(lease);
  // Whoever looks at the place counts the statements it gave.
  return new StaleWriteError({ statementIndex: statementIndex - 1, expectedRows, actualRows });
}

export const leaseLost = ({ kind, resource, holder, epoch }: Lease): LeaseLostError =>
  new LeaseLostError({ what: `${kind} ${resource}`, holder, epoch });
