import { holdLease, LeaseLostError, type Lease } from '@lachesis/store';
import { NotOwnerError } from './not-owner-error.ts';
import type { Replicas } from './replicas.ts';

type Held = Exclude<Awaited<ReturnType<typeof holdLease>>, { heldBy: string }>;

export interface RunOwnerOptions {
  replicas: Replicas;
  tenantId: string;
  runName: string;
  monotonic: () => number;
  /** The run is somebody else's from now on: what is in memory of it is worth nothing. */
  onLost: () => void;
}

/** Which of several servers decides about one run. Its right is a lease in the store; every commit asks for it. */
export class RunOwner {
  readonly #options: RunOwnerOptions;
  #held: Held | null = null;
  #elsewhere: string | null = null;
  #finding: Promise<string | null> | null = null;
  #isClosed = false;
  #usedAt: number;

  constructor(options: RunOwnerOptions) {
    this.#options = options;
    this.#usedAt = options.monotonic();
  }

  /** When somebody last asked, on the monotonic clock. */
  get usedAt(): number {
    return this.#usedAt;
  }

  get isHere(): boolean {
    return this.#held !== null;
  }

  /** The lease that commits are made under. */
  get lease(): Lease {
    if (this.#held === null) throw new NotOwnerError(this.#options.runName);
    return this.#held.lease;
  }

  /** Null when this server owns the run, which it does from now on if nobody else does; otherwise the one that does. */
  async find(): Promise<string | null> {
    this.#usedAt = this.#options.monotonic();
    if (this.#held !== null) return null;
    if (this.#elsewhere !== null) return this.#elsewhere;
    this.#finding ??= this.#acquire().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  /** Whether a server that shares the run is gone, though nobody may have heard of it yet. */
  isAway(server: string): Promise<boolean> {
    return this.#options.replicas.isAway(server);
  }

  /** What was known of the owner turned out wrong: the next one who asks looks into the store. */
  forget(owner: string | null): void {
    if (owner !== null) {
      if (this.#elsewhere === owner) this.#elsewhere = null;
      return;
    }
    const held = this.#held;
    this.#held = null;
    this.#options.onLost();
    // It has been lost; this ends its renewals.
    void held?.[Symbol.asyncDispose]();
  }

  /** Gives the run back, once nothing of it is being decided here. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#finding?.catch(() => null);
    const held = this.#held;
    this.#held = null;
    await held?.[Symbol.asyncDispose]();
  }

  async #acquire(): Promise<string | null> {
    const { replicas, tenantId, runName } = this.#options;
    if (this.#isClosed) throw new NotOwnerError(runName);
    const held = await holdLease({
      ...{ store: replicas.store, tenantId, kind: 'run-queue', resource: runName },
      ...{ holder: replicas.name, seconds: replicas.leaseSeconds },
      isGone: (holder) => replicas.isReplaced(holder),
    });
    if ('heldBy' in held) {
      this.#elsewhere = held.heldBy;
      return held.heldBy;
    }
    // Who is answering what is judged by who lives, before the first rows are read.
    await replicas.look();
    held.signal.addEventListener('abort', () => {
      if (this.#held === held) this.forget(null);
    });
    if (held.signal.aborted)
      throw new LeaseLostError({ what: runName, holder: replicas.name, epoch: held.lease.epoch });
    this.#elsewhere = null;
    this.#held = held;
    return null;
  }
}
