/** Time as a client sees it; a test hands in its own. */
export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Resolves after the time, or at once when the signal is aborted. Never rejects: callers look at the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine; tests hand in one that they move themselves. */
export const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
