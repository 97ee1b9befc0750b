import { fence, LeaseLostError, type Lease, type Store } from '@lachesis/store';

/** What a supervisor remembers of a run it holds. All of it may be lost: the rows and the processes say the rest. */
export interface HeldRun {
  readonly lease: Lease;
  /** The store, behind the fence of the lease: every write about the run goes through it. */
  readonly store: Store;
  /** Monotonic time of the last renewal that was answered. */
  renewedAt: number;
  /** The check before the start, once it was begun; whether its result is in the history. */
  preflight?: { result?: { passed: true } | { passed: false; reason: string }; isNoted: boolean };
  /** Ends what was begun for the run when the lease goes. */
  readonly gone: AbortController;
  /** How processes that we started ended, by instance; undefined until the system has told it. */
  readonly ends: Map<string, { code: number | null; text: string } | undefined>;
  /** Monotonic time when we first looked at an instance that does not answer yet. */
  readonly waitingSince: Map<string, number>;
  /** Monotonic time when a process was asked to end, by role. */
  readonly askedToEnd: Map<string, number>;
  /** Monotonic time when the token of an instance was renewed last. */
  readonly tokenRenewedAt: Map<string, number>;
  /** Monotonic time of the last look at the trainer. */
  lookedAt: number;
  /** Since when every tick of the run breaks. */
  failingSince?: number | undefined;
  /** Since when the environment has ended and the trainer waits. */
  idleSince?: number | undefined;
}

export function createHeldRun({ store, lease }: { store: Store; lease: Lease }, monotonic: number): HeldRun {
  return {
    lease,
    store: fence({ store, lease }),
    renewedAt: monotonic,
    gone: new AbortController(),
    ends: new Map(),
    waitingSince: new Map(),
    askedToEnd: new Map(),
    tokenRenewedAt: new Map(),
    lookedAt: Number.NEGATIVE_INFINITY,
  };
}

/** False when the lease was lost and nothing was written; whoever has it now goes on with the run. */
export async function isStillHeld(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (LeaseLostError.isInstance(error)) return false;
    throw error;
  }
}
