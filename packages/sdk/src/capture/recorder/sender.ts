export interface SenderOptions {
  send: () => Promise<void>;
  /** From the first wake to the send. */
  afterMs: number;
  onProblem: (problem: Error) => void;
}

/** Sends some time after it was woken, one send at a time, and again later after a failure. */
export interface Sender {
  wake(): void;
  /** Sends at once; throws when it fails. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const LONGEST_PAUSE_MS = 30_000;

export function createSender({ send, afterMs, onProblem }: SenderOptions): Sender {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let failures = 0;
  let isClosed = false;
  let isWoken = false;

  function wake(): void {
    isWoken = true;
    if (isClosed || timer !== undefined || running !== undefined) return;
    timer = setTimeout(() => void attempt(), Math.min(LONGEST_PAUSE_MS, afterMs * 2 ** failures));
    // A program that is done does not stay for its records: they are on disk, and `beforeExit` sends them.
    timer.unref();
  }

  async function attempt(): Promise<void> {
    try {
      await flush();
    } catch (error) {
      // Said once for a server that is away, and not with every try.
      if (failures === 1) onProblem(error instanceof Error ? error : new Error(String(error)));
      wake();
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // What was recorded while the last send ran may have missed it.
    for (let other = running; other !== undefined; other = running) await other.catch(() => undefined);
    isWoken = false;
    running = send();
    try {
      await running;
      failures = 0;
    } catch (error) {
      failures += 1;
      throw error;
    } finally {
      running = undefined;
    }
    if (isWoken) wake();
  }

  const beforeExit = (): void => {
    // Without a wake there is nothing to send, and sending nothing would keep the program alive for ever.
    if (isWoken) void flush().catch(() => undefined);
  };
  process.on('beforeExit', beforeExit);

  return {
    wake,
    flush,
    async close() {
      if (isClosed) return;
      isClosed = true;
      process.off('beforeExit', beforeExit);
      // What does not arrive stays on disk for the next process or the server of the same home.
      await flush().catch((error: unknown) => onProblem(error instanceof Error ? error : new Error(String(error))));
    },
  };
}
