/** Requests that wait for a queue to change. Each looks again after every commit and gives up at its own deadline. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves at the next wake, after `timeoutMs`, or when `signal` fires. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
