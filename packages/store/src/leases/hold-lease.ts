import { realClock, type Clock } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { acquireLease, releaseLease, renewLease, type AcquireLeaseOptions, type HeldOptions } from './acquire-lease.ts';
import { fence, leaseLost } from './fence.ts';
import type { Lease } from './lease.ts';

/** A lease that is renewed until it is disposed of, with the store its holder writes through. */
export interface RenewedLease extends AsyncDisposable {
  readonly lease: Lease;
  /** Every write of the holder goes through it. */
  readonly store: Store;
  /** Aborted with the LeaseLostError when the lease is, or may be, somebody else's. */
  readonly signal: AbortSignal;
}

/** Renewals within a lease: a database that is away for a moment loses none. */
const RENEWALS = 4;

/** Acquires a lease and keeps it until it is disposed of, which gives it back; otherwise says who has it. */
export async function holdLease(
  options: AcquireLeaseOptions & { clock?: Clock | undefined },
): Promise<RenewedLease | { heldBy: string }> {
  const lease = await acquireLease(options);
  return 'heldBy' in lease ? lease : autoRenew({ ...options, lease });
}

/** Renews a lease that was acquired, for as long as it is not disposed of. */
export function autoRenew(options: HeldOptions & { seconds: number; clock?: Clock | undefined }): RenewedLease {
  const { store, lease, seconds, clock = realClock } = options;
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = renewUntil(done.signal);

  async function renewUntil(over: AbortSignal): Promise<void> {
    let renewedAt = clock.now();
    while (!over.aborted && !lost.signal.aborted) {
      await clock.sleep((seconds * 1000) / RENEWALS, over);
      if (over.aborted) return;
      const askedAt = clock.now();
      try {
        await renewLease({ store, lease, seconds });
        renewedAt = askedAt;
      } catch (error) {
        if (LeaseLostError.isInstance(error)) lost.abort(error);
        // A database that is away is asked again, until the lease may be somebody else's: then this work is for nothing.
        else if (clock.now() - renewedAt >= seconds * 1000) lost.abort(leaseLost(lease));
      }
    }
  }

  return {
    ...{ lease, signal: lost.signal },
    store: fence({ store, lease }),
    async [Symbol.asyncDispose]() {
      done.abort();
      await renewing;
      // Whoever is not told waits until the lease has run out.
      await releaseLease({ store, lease }).catch(() => false);
    },
  };
}
