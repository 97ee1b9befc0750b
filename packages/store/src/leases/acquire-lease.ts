import type { Store, WriteStatement } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import type { Lease, LeaseKey } from './lease.ts';
import { acquireStatement, readLease, releaseStatement, renewStatement } from './lease-statements.ts';
import { leaseLost } from './fence.ts';

export interface AcquireLeaseOptions extends LeaseKey {
  store: Store;
  /** Who asks; another for each life of a process. */
  holder: string;
  /** How long it holds without being renewed, on the database's clock. */
  seconds: number;
  /** Whether a holder is known never to write again: then nobody waits for the end of its lease. */
  isGone?: ((holder: string) => boolean) | undefined;
}

/** Each failed try means that the lease went from one to another meanwhile. */
const MOST_TRIES = 20;

/** Acquires a lease if nobody has it; otherwise says who does. Who has it already gets it again, in an epoch of its own. */
export async function acquireLease(options: AcquireLeaseOptions): Promise<Lease | { heldBy: string }> {
  for (let tries = 1; ; tries += 1) {
    const plan = await planAcquisition(options);
    if ('heldBy' in plan) return plan;
    try {
      await options.store.commit({ statements: [plan.statement] });
      return plan.lease;
    } catch (error) {
      if (!StaleWriteError.isInstance(error) || tries === MOST_TRIES) throw error;
    }
  }
}

/** The same as a statement, for a unit that writes more. When it changes no row, somebody was faster: plan again. */
export async function planAcquisition(
  options: AcquireLeaseOptions,
): Promise<{ lease: Lease; statement: WriteStatement } | { heldBy: string }> {
  const { store, tenantId, kind, resource, holder, seconds, isGone = () => false } = options;
  const { state: seen, isExpired } = await readLease(store, options);
  const from = seen?.holder ?? null;
  // The same holder asks again when the answer was lost. What it wrote in between goes on in the epoch before, and is fenced.
  const isTakenFrom = from !== null && (from === holder || isGone(from));
  if (from !== null && !isExpired && !isTakenFrom) return { heldBy: from };
  const lease: Lease = { tenantId, kind, resource, holder, epoch: (seen?.epoch ?? 0) + 1 };
  return { lease, statement: acquireStatement(store, lease, { seen, seconds, from: isTakenFrom ? from : null }) };
}

/** A lease, and the database in which it is held. */
export interface HeldOptions {
  store: Store;
  lease: Lease;
}

/** Holds a lease longer, from now on. A LeaseLostError when it is not its holder's any more. */
export async function renewLease({ store, lease, seconds }: HeldOptions & { seconds: number }): Promise<void> {
  try {
    await store.commit({ statements: [renewStatement(store, lease, seconds)] });
  } catch (error) {
    throw StaleWriteError.isInstance(error) ? leaseLost(lease) : error;
  }
}

/** Gives a lease back, so that the next one need not wait. False when it was lost before. */
export async function releaseLease({ store, lease }: HeldOptions): Promise<boolean> {
  try {
    await store.commit({ statements: [releaseStatement(store, lease)] });
    return true;
  } catch (error) {
    if (StaleWriteError.isInstance(error)) return false;
    throw error;
  }
}
