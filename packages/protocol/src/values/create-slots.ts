/** Lets so many in at once; the others wait in the order in which they came. */
export interface Slots {
  /** Gives what frees the slot, which may be called twice. Rejects when the signal ends before there is room. */
  take(signal?: AbortSignal): Promise<() => void>;
  /** The same without waiting; undefined when there is no room. */
  takeFree(): (() => void) | undefined;
}

/** Lets at most `count` pieces of work run at once; the others wait for their turn. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  const once = (): (() => void) => {
    let isGiven = false;
    return () => {
      if (!isGiven) giveBack();
      isGiven = true;
    };
  };
  const takeFree = (): (() => void) | undefined => {
    if (free === 0) return undefined;
    free -= 1;
    return once();
  };
  return {
    takeFree,
    take: async (signal) => {
      signal?.throwIfAborted();
      const taken = takeFree();
      if (taken !== undefined) return taken;
      await new Promise<void>((resolve, reject) => {
        const enter = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          waiting.delete(enter);
          const reason: unknown = signal?.reason;
          reject(reason instanceof Error ? reason : new Error(String(reason)));
        };
        waiting.add(enter);
        signal?.addEventListener('abort', leave, { once: true });
      });
      return once();
    },
  };
}
