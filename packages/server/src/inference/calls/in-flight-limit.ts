import { LachesisError } from '@lachesis/protocol';

/** When a place may be free again: completions take seconds. */
const RETRY_AFTER_SECONDS = 1;

/** How many requests may be under way at once. Who comes when it is full is told so at once, and holds nothing here. */
export class InFlightLimit {
  readonly #limit: number;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a place; the function gives it back. */
  enter(): () => void {
    if (this.#count >= this.#limit) {
      throw new LachesisError({
        code: 'back-pressure',
        message: `${this.#limit} requests are under way, as many as this server takes`,
        hint: 'Send the same request again after Retry-After, or raise --max-in-flight.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#count += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#count -= 1;
    };
  }
}
