interface RetryOptions {
  /** Whether the same call may succeed later by itself. */
  readonly isAway: (error: unknown) => boolean;
  readonly signal: AbortSignal;
  readonly wait?: (ms: number) => Promise<void>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/** Makes a call until the server has answered it: a queue goes on where it was when the server is back. */
export async function retryWhileAway<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isAway, signal, wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = options;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      await wait(pause);
    }
  }
}
