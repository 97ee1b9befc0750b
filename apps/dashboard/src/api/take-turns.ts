interface Waiting {
  start: () => void;
  leave: (reason: Error) => void;
  isWanted: () => boolean;
}

/**
 * Lets some calls run at once and the others wait. What nobody wants any more when its turn comes is never called: a list that
 * is scrolled past a thousand rows asks for those that stay in view.
 */
export function createTurns(atOnce: number): <T>(isWanted: () => boolean, call: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: Waiting[] = [];
  const startNext = (): void => {
    while (running < atOnce) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (next.isWanted()) {
        running += 1;
        next.start();
      } else next.leave(new Error('Nobody waits for the answer any more.'));
    }
  };
  return async (isWanted, call) => {
    await new Promise<void>((start, leave) => {
      waiting.push({ start, leave, isWanted });
      startNext();
    });
    try {
      return await call();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
