import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { acquireLease, type Store } from '@lachesis/store';
import { randomUUID } from 'node:crypto';

/**
 * Does a chore of the whole database, unless another process did it within the last `everyMs`. The lease is left to run out: who
 * asks before that is told that it is done. If we die in the middle, it is done again by the next one after that time.
 */
export async function runLeasedChore<T>(options: {
  store: Store;
  chore: string;
  everyMs: number;
  run: () => Promise<T>;
}): Promise<T | undefined> {
  const { store, chore, everyMs, run } = options;
  const lease = await acquireLease({
    ...{ store, tenantId: LOCAL_TENANT, kind: 'collection', resource: chore },
    // Another one for each time, so that nobody goes on with its own.
    ...{ holder: randomUUID(), seconds: everyMs / 1000 },
  });
  return 'heldBy' in lease ? undefined : await run();
}
