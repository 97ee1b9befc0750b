export interface Ticks {
  /** Waits for the next tick, or until the signal says that nobody waits any more. */
  next(signal: AbortSignal): Promise<void>;
  /** What `read` gives. Between two ticks it is asked once, however many want to know. */
  share<T>(key: string, read: () => Promise<T>): Promise<T>;
  /** The same for who cannot wait for a tick: who comes while it is read gets it too, and then it is forgotten. */
  join<T>(key: string, read: () => Promise<T>): Promise<T>;
}

/** One timer for everybody who follows something, and none while nobody does: a thousand followers of a run ask the database once. */
export function createTicks(options: {
  everyMs: number;
  setTimer?: typeof setTimeout;
  clearTimer?: typeof clearTimeout;
}): Ticks {
  const { everyMs, setTimer = setTimeout, clearTimer = clearTimeout } = options;
  const waiting = new Map<AbortSignal, PromiseWithResolvers<void>>();
  // Listened to once and not at each wait: a listener that comes and goes costs more than the wait.
  const listened = new WeakSet<AbortSignal>();
  const shared = new Map<string, Promise<unknown>>();
  const joined = new Map<string, Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    timer = undefined;
    shared.clear();
    const woken = [...waiting.values()];
    waiting.clear();
    for (const { resolve } of woken) resolve();
  };
  const leave = (signal: AbortSignal): void => {
    waiting.get(signal)?.resolve();
    if (!waiting.delete(signal) || waiting.size > 0) return;
    clearTimer(timer);
    timer = undefined;
    shared.clear();
  };
  return {
    next(signal) {
      if (signal.aborted) return Promise.resolve();
      if (!listened.has(signal)) {
        listened.add(signal);
        signal.addEventListener('abort', () => leave(signal), { once: true });
      }
      const wait = waiting.get(signal) ?? Promise.withResolvers<void>();
      waiting.set(signal, wait);
      timer ??= setTimer(tick, everyMs);
      return wait.promise;
    },
    // Each key is used for one kind of answer.
    share<T>(key: string, read: () => Promise<T>): Promise<T> {
      const found = shared.get(key) ?? read();
      shared.set(key, found);
      return found as Promise<T>;
    },
    join<T>(key: string, read: () => Promise<T>): Promise<T> {
      const found = joined.get(key);
      if (found !== undefined) return found as Promise<T>;
      const reading = read().finally(() => joined.delete(key));
      joined.set(key, reading);
      return reading;
    },
  };
}
