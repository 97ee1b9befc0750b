import { LachesisError } from '@lachesis/protocol';

export interface CircuitBreakerOptions {
  /** What is behind it, as errors call it. */
  name: string;
  /** Milliseconds that only go forward. */
  monotonic: () => number;
  /** Failures in a row that open it; default 5. */
  failures?: number;
  /** The first pause; it doubles with each failed try, up to `maxPauseMs`. Default 1 s and 30 s. */
  pauseMs?: number;
  maxPauseMs?: number;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** One call through the breaker. The first word about it counts. */
export interface CircuitCall {
  succeeded(): void;
  failed(reason: string): void;
  /** It ended without saying anything about what is behind, as when its caller left. */
  abandoned(): void;
}

/**
 * Spares a backend that is down, and its callers the wait. After a number of failures in a row every call is refused at
 * once; after a pause one call is let through to try; when it succeeds all are.
 */
export class CircuitBreaker {
  readonly #options: Required<CircuitBreakerOptions>;
  #failures = 0;
  #openings = 0;
  #openUntil: number | undefined;
  #isTrying = false;
  #reason = '';

  constructor(options: CircuitBreakerOptions) {
    this.#options = { failures: 5, pauseMs: 1_000, maxPauseMs: 30_000, ...options };
  }

  get state(): CircuitState {
    if (this.#openUntil === undefined) return 'closed';
    return this.#isTrying || this.#options.monotonic() >= this.#openUntil ? 'half-open' : 'open';
  }

  /** Why it is not closed. */
  get reason(): string {
    return this.#reason;
  }

  /** Lets a call through, or throws. */
  enter(): CircuitCall {
    const isTry = this.#openUntil !== undefined;
    if (isTry) {
      if (this.state !== 'half-open' || this.#isTrying) throw this.#refusal();
      this.#isTrying = true;
    }
    let isOpen = true;
    const once = (say: () => void) => (): void => {
      if (!isOpen) return;
      isOpen = false;
      if (isTry) this.#isTrying = false;
      say();
    };
    return {
      succeeded: once(() => this.noteSuccess()),
      failed: (reason) => once(() => this.noteFailure(reason))(),
      abandoned: once(() => undefined),
    };
  }

  /** The backend did what it should, in a call or beside one. */
  noteSuccess(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = undefined;
    this.#reason = '';
  }

  /** The backend did not answer, in a call or beside one. */
  noteFailure(reason: string): void {
    this.#failures += 1;
    this.#reason = reason;
    const { failures, pauseMs, maxPauseMs, monotonic } = this.#options;
    const now = monotonic();
    // Calls that were under way when it opened fail one by one; they say nothing new.
    if (this.#openUntil !== undefined ? now < this.#openUntil : this.#failures < failures) return;
    this.#openUntil = now + Math.min(maxPauseMs, pauseMs * 2 ** this.#openings);
    this.#openings += 1;
    this.#isTrying = false;
  }

  #refusal(): LachesisError {
    const waitMs = Math.max(0, (this.#openUntil ?? 0) - this.#options.monotonic());
    return new LachesisError({
      code: 'unavailable',
      message: `${this.#options.name} does not answer (${this.#reason})`,
      hint: 'It is tried again by itself; send the same request after Retry-After.',
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }
}
