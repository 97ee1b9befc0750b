import { StaleWriteError } from '../errors/stale-write-error.ts';
import type { Store, WriteUnit } from './store.ts';

/** Whether the unit was written; it is not where somebody else was first with its rows. */
export async function commitUnlessStale(store: Pick<Store, 'commit'>, unit: WriteUnit): Promise<boolean> {
  try {
    await store.commit(unit);
    return true;
  } catch (error) {
    if (StaleWriteError.isInstance(error)) return false;
    throw error;
  }
}
