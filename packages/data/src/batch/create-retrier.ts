import type { Clock } from '@lachesis/protocol';
import { StoreTimeoutError, StoreUnavailableError } from '@lachesis/store';

/** A database that is started again, or a machine that is busy, is back by then. */
const PATIENT_FOR_MS = 2 * 60_000;
const FIRST_REST_MS = 200;
const LONGEST_REST_MS = 5_000;

/** Runs something of the store, and again while the store is away. What is written by it can be written twice: it is fenced. */
export type Patience = <T>(work: () => Promise<T>) => Promise<T>;

export function createRetrier({ clock, signal }: { clock: Clock; signal: AbortSignal }): Patience {
  return async (work) => {
    const until = clock.now() + PATIENT_FOR_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const isAway = StoreUnavailableError.isInstance(error) || StoreTimeoutError.isInstance(error);
        if (!isAway || signal.aborted || clock.now() > until) throw error;
        await clock.sleep(Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** tries), signal);
      }
    }
  };
}
