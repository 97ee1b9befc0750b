/** What can be flushed. */
interface Flushable {
  flush(): Promise<void>;
}

/** Every recorder of this process that was not closed. */
export const openRecorders = new Set<Flushable>();

/**
 * Sends everything that waits in this process: for functions that are frozen when they have answered. Give the promise to
 * the platform's `waitUntil`, or await it before the answer. It never rejects: what did not arrive waits on.
 */
export async function flushBeforeFreeze({ withinMs = 5_000 }: { withinMs?: number | undefined } = {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  const all = Promise.allSettled([...openRecorders].map((recorder) => recorder.flush()));
  await Promise.race([all, limit]);
  clearTimeout(timer);
}
