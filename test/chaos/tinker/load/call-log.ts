import type { Call, WatchOptions } from './call.ts';
import { watchCall } from './call.ts';

/** The calls of a load, in the order in which they were made, and the numbers they are known by. */
export class CallLog {
  readonly #calls: Promise<Call>[] = [];
  #lastMark = 0;
  #burst = 0;

  /** Calls from here on, until the next await of the caller, are made at once. */
  beginBurst(): void {
    this.#burst += 1;
  }

  get size(): number {
    return this.#calls.length;
  }

  nextMark(): number {
    this.#lastMark += 1;
    return this.#lastMark;
  }

  /** Takes the call's place in the order before it returns. */
  watch(options: Omit<WatchOptions, 'burst'>): Promise<Call> {
    const call = watchCall({ ...options, burst: this.#burst });
    this.#calls.push(call);
    return call;
  }

  all(): Promise<Call[]> {
    return Promise.all(this.#calls);
  }
}
