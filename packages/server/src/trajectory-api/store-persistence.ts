import { fence, loadQueue, planQueueWrite, readQueueVersion, type Store } from '@lachesis/store';
import type { DatabaseClock } from './database-clock.ts';
import type { QueuePersistence } from './run-queue.ts';

/** Keeps queues in the store: a transaction's changes are one write unit. */
export function createStorePersistence(store: Store, clock: DatabaseClock): QueuePersistence {
  return {
    isShared: store.dialect === 'postgres',
    load: (run) => loadQueue(store.db, run),
    readVersion: (run) => readQueueVersion(store.db, run),
    now: () => store.now(),
    commit: (state, changes, lease) => {
      const unit = planQueueWrite(store.db, state, changes, clock.now());
      return lease === undefined ? store.commit(unit) : fence({ store, lease }).commit(unit);
    },
  };
}
