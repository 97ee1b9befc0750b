import type { DatabaseClock } from './database-clock.ts';
import { reclaimSending } from './queue/hand-out-batch.ts';
import type { Replicas } from './replicas/replicas.ts';
import { RunOwner } from './replicas/run-owner.ts';
import type { QueueRules } from './queue/transaction.ts';
import { RunQueue, type QueuePersistence } from './run-queue.ts';
import { Waiters } from './waiters.ts';

/** A run as the routes see it: its queue, who waits for it, and when each environment was last heard. */
export interface OpenRun {
  queue: RunQueue;
  waiters: Waiters;
  /** By `env_id`; monotonic milliseconds. Memory only: after a restart every environment counts as just heard. */
  heardAt: Map<number, number>;
  /** When it was last noted in the rows that an environment was heard, by `env_id`. */
  notedAt: Map<number, number>;
  /** When this process opened the run. */
  openedAt: number;
  /** Receipts of the pushes that this process is answering: none of them is a reply that got lost. */
  answering: Set<string>;
  /** Receipts whose servers gave their replies up before the push was decided, with when; monotonic milliseconds. */
  abandoned: Map<string, number>;
  /** Which push of a body was decided last and when, by environments and digest, the oldest first; monotonic milliseconds. */
  decided: Map<string, { receiptId: string | null; at: number }>;
  /** Who owns the run, where several servers share it; null where this one is alone. */
  owner: RunOwner | null;
}

export interface RunDirectoryOptions {
  persistence: QueuePersistence;
  clock: DatabaseClock;
  rules: QueueRules;
  nextId: () => string;
  /** Names this server among the processes that share a database; it stays the same when the process is restarted. */
  instanceId: string;
  /** The servers that share the runs with this one. */
  replicas?: Replicas | null;
  monotonic?: () => number;
  pause?: (ms: number) => Promise<void>;
  random?: () => number;
}

/** An idle run is dropped from memory; its rows bring it back. */
const IDLE_MS = 10 * 60_000;

export class RunDirectory {
  readonly #options: RunDirectoryOptions;
  readonly #monotonic: () => number;
  readonly #runs = new Map<string, OpenRun>();

  constructor(options: RunDirectoryOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  open(tenantId: string, runName: string): OpenRun {
    const key = `${tenantId}/${runName}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const { instanceId, replicas = null, ...shared } = this.#options;
    const waiters = new Waiters();
    const answering = new Set<string>();
    const owner =
      replicas === null
        ? null
        : new RunOwner({ replicas, tenantId, runName, monotonic: this.#monotonic, onLost: () => queue.forget() });
    const queue = new RunQueue({
      ...shared,
      tenantId,
      runName,
      isAnswering: ({ receiptId, answeredBy }) =>
        answering.has(receiptId) ||
        (answeredBy !== null && answeredBy !== replicas?.name && replicas?.isGone(answeredBy) === false),
      onCommitted: () => waiters.wake(),
      ...(owner === null
        ? // Only the first load of this process can meet batches that an earlier life was sending.
          { onFirstLoad: (transaction) => reclaimSending(transaction, (server) => server === instanceId) }
        : { lease: () => owner.lease }),
    });
    const run: OpenRun = {
      queue,
      waiters,
      heardAt: new Map(),
      notedAt: new Map(),
      openedAt: this.#monotonic(),
      answering,
      abandoned: new Map(),
      decided: new Map(),
      owner,
    };
    this.#runs.set(key, run);
    return run;
  }

  all(): OpenRun[] {
    return [...this.#runs.values()];
  }

  /** Forgets runs nobody asked for lately and that hold nothing. */
  dropIdle(): void {
    const now = this.#monotonic();
    for (const [key, run] of this.#runs) {
      const { queue, waiters } = run;
      const usedAt = Math.max(queue.usedAt, run.owner?.usedAt ?? 0);
      const isUnused = queue.isIdle && waiters.size === 0 && now - usedAt > IDLE_MS;
      if (!isUnused || (queue.cached !== null && queue.cached.readyGroups > 0)) continue;
      this.#runs.delete(key);
      // Whoever is asked next takes it.
      void run.owner?.close();
    }
  }

  async settle(): Promise<void> {
    await Promise.all(this.all().map((run) => run.queue.settle()));
    await Promise.all(this.all().map(async (run) => run.owner?.close()));
  }
}
