import type { Deadline } from '../transport/deadline.ts';
import type { TimeoutFacts } from '../errors/client-errors.ts';

interface Waiter {
  bytes: number;
  enter: () => void;
}

/**
 * Bounds the bytes that are under way at once. A taker is let in while the budget is not overdrawn, so one that is larger
 * than the whole budget passes alone instead of never. First come, first served.
 */
export class ByteBudget {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves to the function that gives the bytes back; calling it twice does nothing more. */
  async take(bytes: number, deadline: Deadline, facts: Omit<TimeoutFacts, 'timeoutMs'>): Promise<() => void> {
    if (this.#free < 0 || this.#waiting.size > 0) await this.#wait(bytes, deadline, facts);
    else this.#free -= bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += bytes;
      this.#admit();
    };
  }

  async #wait(bytes: number, deadline: Deadline, facts: Omit<TimeoutFacts, 'timeoutMs'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isIn = false;
    const waiter: Waiter = {
      bytes,
      enter: () => {
        isIn = true;
        resolve();
      },
    };
    this.#waiting.add(waiter);
    const timer = setTimeout(resolve, deadline.remainingMs());
    const giveUp = (): void => resolve();
    deadline.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
      if (!isIn) deadline.fail(facts);
    } finally {
      clearTimeout(timer);
      deadline.signal?.removeEventListener('abort', giveUp);
      this.#waiting.delete(waiter);
    }
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (this.#free < 0) return;
      this.#waiting.delete(waiter);
      this.#free -= waiter.bytes;
      waiter.enter();
    }
  }
}
