export interface RecordDrainOptions {
  /** Brings everything that waits into the store. Rejects when it could not; nothing is lost by that. */
  drain: () => Promise<void>;
  /** From the first record that waits to the drain: long enough for a batch, short enough to look at once. */
  everyMs?: number;
  /** Told of the first failure of a row, and of the end of the row. */
  onTrouble: (error: unknown) => void;
  onRecovery?: () => void;
}

const EVERY_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** Whoever stops a server waits five seconds before killing it. */
const CLOSE_WITHIN_MS = 2_000;

/** Drains in batches, beside the calls and never on the way of one: one drain at a time, later and later after failures. */
export class RecordDrain {
  readonly #options: RecordDrainOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;
  /** Nobody waits for its drain any more: the next process brings in what it left. */
  #isLeft = false;
  #failures = 0;

  constructor(options: RecordDrainOptions) {
    this.#options = options;
  }

  /** There is something to drain. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed || this.#timer !== undefined || this.#running !== undefined) return;
    const { everyMs = EVERY_MS } = this.#options;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.flush();
      },
      Math.min(LONGEST_PAUSE_MS, everyMs * 2 ** this.#failures),
    );
    // Nobody waits for records: they are on disk, and the next process brings them in.
    this.#timer.unref();
  }

  /** Drains what waits. Never rejects: what is left is tried again. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWoken = false;
    // Noted as running before it runs: what it records itself wakes nobody.
    this.#running = Promise.resolve().then(() => this.#attempt());
    await this.#running;
    this.#running = undefined;
    if (this.#isWoken) this.wake();
  }

  async #attempt(): Promise<void> {
    try {
      await this.#options.drain();
      if (this.#failures > 0) this.#options.onRecovery?.();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#isWoken = true;
      if (this.#failures === 1 && !this.#isLeft) this.#options.onTrouble(error);
    }
  }

  /** Drains what still waits, and stops. What takes longer than that is left to the next process. */
  async close({ withinMs = CLOSE_WITHIN_MS } = {}): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (!this.#isWoken && this.#running === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#isLeft = true;
        resolve();
      }, withinMs);
    });
    await Promise.race([this.flush(), limit]);
    clearTimeout(timer);
  }
}
