import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';

/** Each failed try means that somebody else wrote to the same name. */
const MOST_TRIES = 20;

/** Reads, decides and writes anew for as long as others are faster. */
export async function tryAgain<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isOvertaken = StoreConflictError.isInstance(error) || StaleWriteError.isInstance(error);
      if (!isOvertaken || tries >= MOST_TRIES) throw error;
    }
  }
}
