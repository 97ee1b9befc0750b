import { ByteBudget } from '../futures/byte-budget.ts';
import type { OnTinkerEvent } from '../events.ts';
import type { Clock } from '@lachesis/protocol';
import type { Deadline } from '../transport/deadline.ts';

export interface SampleLimiterOptions {
  /** Samples under way at once, from the call until the result. */
  maxInFlight: number;
  /** Prompt bytes being posted at once. */
  maxDispatchBytes: number;
  clock: Clock;
  onEvent: OnTinkerEvent;
}

/** What the limiter does at this moment. */
export interface SampleLimiterState {
  inFlight: number;
  waiting: number;
  /** Grows by one per window of successes, halves when the server pushes back. */
  limit: number;
  pausedMs: number;
}

/** The server takes prompts as text: this many bytes stand for a token. */
const BYTES_PER_TOKEN = 10;
/** Posts that are being sent at once, whatever the number of samples under way. */
const MAX_POSTS = 400;
/** Several 429 that were under way together are one signal. */
const DECREASE_SPACING_MS = 1_000;
const MIN_LIMIT = 10;
const LARGE_PROMPT_BYTES = 128 * 1024;

/**
 * Keeps sampling within what a server bears: by number, by bytes being posted, and by what it says. A 429 pauses every
 * sampler of the client and halves the limit; successes raise it again one by one.
 */
export class SampleLimiter {
  readonly #options: SampleLimiterOptions;
  readonly #bytes: ByteBudget;
  readonly #posts: ByteBudget;
  readonly #waiting = new Set<() => void>();
  #limit: number;
  #inFlight = 0;
  #successes = 0;
  #pausedUntil = 0;
  #lastDecrease = Number.NEGATIVE_INFINITY;

  constructor(options: SampleLimiterOptions) {
    this.#options = options;
    this.#limit = options.maxInFlight;
    this.#bytes = new ByteBudget(options.maxDispatchBytes);
    // The budget lets one more in than it has left, hence one less.
    this.#posts = new ByteBudget(MAX_POSTS - 1);
  }

  get state(): SampleLimiterState {
    return {
      inFlight: this.#inFlight,
      waiting: this.#waiting.size,
      limit: Math.floor(this.#limit),
      pausedMs: Math.max(0, this.#pausedUntil - this.#options.clock.now()),
    };
  }

  /** Waits for a place; the function it resolves to gives it back. */
  async enter(deadline: Deadline): Promise<() => void> {
    if (this.#inFlight >= Math.floor(this.#limit) || this.#waiting.size > 0) await this.#wait(deadline);
    else this.#inFlight += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#inFlight -= 1;
      this.#admit();
    };
  }

  /** Runs one post when the client is not paused and its bytes fit. */
  async post<T>(promptTokens: number, deadline: Deadline, send: () => Promise<T>): Promise<T> {
    const facts = { operation: 'asample', waitingFor: 'room to send' };
    const returnPost = await this.#posts.take(1, deadline, facts);
    try {
      const returnBytes = await this.#bytes.take(promptTokens * BYTES_PER_TOKEN, deadline, facts);
      try {
        for (;;) {
          const pauseMs = this.#pausedUntil - this.#options.clock.now();
          if (pauseMs <= 0) break;
          await deadline.sleep(pauseMs, { operation: 'asample', waitingFor: 'the server to take samples again' });
        }
        return await send();
      } finally {
        returnBytes();
      }
    } finally {
      returnPost();
    }
  }

  /** The server pushed back. */
  pushedBack(promptTokens: number, retryAfterMs: number | undefined): void {
    const now = this.#options.clock.now();
    const pauseMs = retryAfterMs ?? (promptTokens * BYTES_PER_TOKEN <= LARGE_PROMPT_BYTES ? 1_000 : 5_000);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    this.#successes = 0;
    if (now - this.#lastDecrease < DECREASE_SPACING_MS) return;
    this.#lastDecrease = now;
    this.#limit = Math.max(Math.min(MIN_LIMIT, this.#options.maxInFlight), this.#limit / 2);
    this.#options.onEvent({ type: 'sampling-limited', limit: Math.floor(this.#limit), pausedMs: pauseMs });
  }

  /** A sample came back. */
  succeeded(): void {
    this.#successes += 1;
    if (this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#limit = Math.min(this.#options.maxInFlight, this.#limit + Math.max(1, this.#limit * 0.05));
    this.#admit();
  }

  async #wait(deadline: Deadline): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isIn = false;
    const enter = (): void => {
      isIn = true;
      resolve();
    };
    const giveUp = (): void => resolve();
    this.#waiting.add(enter);
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
      if (!isIn) deadline.fail({ operation: 'asample', waitingFor: 'a place among the samples under way' });
    } finally {
      clearTimeout(timer);
      deadline.signal?.removeEventListener('abort', giveUp);
      this.#waiting.delete(enter);
    }
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      if (this.#inFlight >= Math.floor(this.#limit)) return;
      this.#waiting.delete(enter);
      this.#inFlight += 1;
      enter();
    }
  }
}
