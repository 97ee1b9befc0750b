/** Runs few jobs at once, in order. */
export interface BuildQueue {
  /** Hands back how to give a job up that has not begun. */
  add(job: () => Promise<void>): () => void;
}

/** Getting ready for what may come must not take the machine from what is running. */
export function createBuildQueue(atOnce: number): BuildQueue {
  const waiting = new Set<() => Promise<void>>();
  let running = 0;
  const next = (): void => {
    for (const job of waiting) {
      if (running >= atOnce) return;
      waiting.delete(job);
      running += 1;
      // A job that fails is told by whoever gave it.
      void job()
        .catch(() => undefined)
        .finally(() => {
          running -= 1;
          next();
        });
    }
  };
  return {
    add(job) {
      waiting.add(job);
      next();
      return () => waiting.delete(job);
    },
  };
}

/** Does the work when its turn comes, and hands back what came of it. */
export function runInQueue<T>(queue: BuildQueue, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    queue.add(async () => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
