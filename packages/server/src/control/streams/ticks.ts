export interface Ticks {
  /** Waits for the next tick, or until the signal says that nobody waits any more. */
  next(signal: AbortSignal): Promise<void>;
  /** What `read` gives. Between two ticks it is asked once, however many want to know. */
  share<T>(key: string, read: () => Promise<T>): Promise<T>;
}

/** One timer for everybody who follows something, and none while nobody does: a thousand followers of a run ask the database once. */
export function createTicks(options: {
  everyMs: number;
  setTimer?: typeof setTimeout;
  clearTimer?: typeof clearTimeout;
}): Ticks {
  const { everyMs, setTimer = setTimeout, clearTimer = clearTimeout } = options;
  const waiting = new Set<() => void>();
  const shared = new Map<string, Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    timer = undefined;
    shared.clear();
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  };
  const leave = (wake: () => void): void => {
    waiting.delete(wake);
    if (waiting.size > 0) return;
    clearTimer(timer);
    timer = undefined;
    shared.clear();
  };
  return {
    next: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const gone = (): void => {
          leave(wake);
          resolve();
        };
        function wake(): void {
          signal.removeEventListener('abort', gone);
          resolve();
        }
        signal.addEventListener('abort', gone, { once: true });
        waiting.add(wake);
        timer ??= setTimer(tick, everyMs);
      }),
    share<T>(key: string, read: () => Promise<T>): Promise<T> {
      const found = shared.get(key) ?? read();
      shared.set(key, found);
      // Each key is used for one kind of answer.
      return found as Promise<T>;
    },
  };
}
