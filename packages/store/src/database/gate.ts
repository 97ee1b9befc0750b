import { StoreTimeoutError } from '../errors/store-timeout-error.ts';
import type { Deadline } from './deadline.ts';

/** Gives the place back; a second call does nothing. */
export type ReleasePlace = () => void;

/**
 * Lets a fixed number of holders in, first come first served. A waiter whose deadline passes leaves the line, so a
 * database that stands still for a minute does not find a minute's worth of dead callers afterwards.
 */
export class Gate {
  #free: number;
  readonly #waiting = new Set<(release: ReleasePlace) => void>();

  constructor(places: number) {
    this.#free = places;
  }

  acquire(deadline?: Deadline): Promise<ReleasePlace> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#createRelease());
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const enter = (release: ReleasePlace): void => {
        clearTimeout(timer);
        resolve(release);
      };
      this.#waiting.add(enter);
      if (deadline === undefined) return;
      timer = setTimeout(() => {
        this.#waiting.delete(enter);
        reject(
          new StoreTimeoutError({
            deadlineMs: deadline.ms,
            waitingFor: 'waiting for a connection',
            outcome: 'nothing-written',
          }),
        );
      }, deadline.remainingMs());
    });
  }

  #createRelease(): ReleasePlace {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const enter of this.#waiting) {
        this.#waiting.delete(enter);
        enter(this.#createRelease());
        return;
      }
      this.#free += 1;
    };
  }
}
