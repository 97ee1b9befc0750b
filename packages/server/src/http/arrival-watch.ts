export interface ArrivalRules {
  /** Least bytes a second, on average over a window. */
  bytesPerSecond: number;
  windowMs: number;
}

/** Far below any link that carries rollouts; a sender that stays under it only holds a connection. */
export const ARRIVAL_RULES: ArrivalRules = { bytesPerSecond: 1_024, windowMs: 10_000 };

const SWEEPS_PER_WINDOW = 10;

/** One body on its way. Time in which we do not read does not count against the sender. */
export interface Arrival {
  count(bytes: number): void;
  pause(): void;
  resume(): void;
  end(): void;
}

interface Mark {
  startedAt: number;
  bytes: number;
  isPaused: boolean;
  onSlow: (bytesPerSecond: number) => void;
}

/** Watches all bodies on their way with one timer: one for each would cost more than a small body does. */
export class ArrivalWatch {
  readonly #rules: ArrivalRules;
  readonly #monotonic: () => number;
  readonly #open = new Set<Mark>();
  readonly #timer: NodeJS.Timeout;
  #sweptAt: number;

  constructor({ rules = ARRIVAL_RULES, monotonic }: { rules?: ArrivalRules; monotonic: () => number }) {
    this.#rules = rules;
    this.#monotonic = monotonic;
    this.#sweptAt = monotonic();
    this.#timer = setInterval(() => this.sweep(), rules.windowMs / SWEEPS_PER_WINDOW);
    this.#timer.unref();
  }

  begin(onSlow: (bytesPerSecond: number) => void): Arrival {
    const mark: Mark = { startedAt: this.#monotonic(), bytes: 0, isPaused: false, onSlow };
    this.#open.add(mark);
    return {
      count: (bytes) => {
        mark.bytes += bytes;
      },
      pause: () => {
        mark.isPaused = true;
      },
      resume: () => {
        mark.isPaused = false;
        this.#restart(mark);
      },
      end: () => this.#open.delete(mark),
    };
  }

  sweep(): void {
    const { bytesPerSecond, windowMs } = this.#rules;
    const now = this.#monotonic();
    // Late ourselves: what arrived meanwhile still lies in the sockets.
    const wasAway = now - this.#sweptAt > windowMs / 2;
    this.#sweptAt = now;
    for (const mark of this.#open) {
      if (wasAway) this.#restart(mark);
      if (mark.isPaused || now - mark.startedAt < windowMs) continue;
      if (mark.bytes * 1_000 < bytesPerSecond * (now - mark.startedAt)) mark.onSlow(bytesPerSecond);
      else this.#restart(mark);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #restart(mark: Mark): void {
    mark.startedAt = this.#monotonic();
    mark.bytes = 0;
  }
}
