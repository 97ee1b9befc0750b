import { TinkerAbandonedError, TinkerProtocolError, TinkerTransportError } from '../errors/client-errors.ts';
import type { TinkerError } from '../errors/tinker-error.ts';
import { backoffMs, POLL_BACKOFF } from '../transport/backoff.ts';
import { startDeadline } from '../transport/deadline.ts';
import type { Deadline } from '../transport/deadline.ts';
import type { Reply } from '../transport/reply.ts';
import type { Transport } from '../transport/transport.ts';
import { ByteBudget } from './byte-budget.ts';

/** The server holds the question for some 30 s; a shorter limit of ours only means that it is asked again. */
const POLL_TIMEOUT_MS = 45_000;
/** Samples that end within this time are told in one answer instead of one each. */
const MIN_POLL_SPACING_MS = 50;
/** Announced results fetched at once: they are there, so a few connections carry them as quickly as thousands. */
const MAX_FETCHES = 64;
/** A result that was not announced for this long is asked for directly: an announcement may have been lost. */
const DIRECT_AFTER_MS = 300_000;
/** After failing for this long every sample asks for itself, which tells each what is wrong with it. */
const FAILURE_BUDGET_MS = 120_000;
/** Announcements nobody waits for, such as those of another process with this session. */
const MAX_EARLY = 10_000;

export interface CompletionPollerOptions {
  transport: Transport;
  samplingSessionId: string;
}

interface Announcement {
  payloadBytes: number | undefined;
}

/**
 * Waits for all samples of a session with one question instead of one each. It promises nothing of its own: whatever goes
 * wrong with it, a sample falls back to asking for its result directly.
 */
export class CompletionPoller {
  readonly #options: CompletionPollerOptions;
  readonly #waiters = new Map<string, (announcement: Announcement | undefined) => void>();
  /** Announced before the answer to their own submission was read. */
  readonly #early = new Map<string, Announcement>();
  /** Fetched, and not yet told to the server. */
  readonly #fetched = new Set<string>();
  readonly #fetches = new ByteBudget(MAX_FETCHES - 1);
  #cursor = 0;
  #failures = 0;
  #failingSince: number | undefined;
  #question: AbortController | undefined;
  #isRunning = false;
  #isLost = false;

  constructor(options: CompletionPollerOptions) {
    this.#options = options;
  }

  /** Fetches the result of a sample once it is announced. `fetch` is given its size, where the server has told it. */
  async collect<T>(
    requestId: string,
    deadline: Deadline,
    fetch: (payloadBytes: number | undefined) => Promise<T>,
  ): Promise<T> {
    const announcement = await this.#wait(requestId, deadline);
    const facts = { operation: 'asample', requestId, waitingFor: 'the result' };
    if (announcement === 'over') return deadline.fail(facts);
    deadline.check(facts);
    if (announcement === undefined) return fetch(undefined);
    const leave = await this.#fetches.take(1, deadline, facts);
    try {
      const result = await fetch(announcement.payloadBytes);
      // Told with the next question; one for its sake alone would be held by the server and keep the program alive.
      this.#fetched.add(requestId);
      return result;
    } finally {
      leave();
    }
  }

  /** `over` when the caller's time is; undefined when the result has to be asked for directly. */
  async #wait(requestId: string, deadline: Deadline): Promise<Announcement | 'over' | undefined> {
    const early = this.#early.get(requestId);
    if (this.#early.delete(requestId) || this.#isLost) return early;
    const { promise, resolve } = Promise.withResolvers<Announcement | 'over' | undefined>();
    const askDirectly = (): void => resolve(undefined);
    this.#waiters.set(requestId, resolve);
    const leftMs = Math.ceil(deadline.remainingMs());
    const timer =
      leftMs > DIRECT_AFTER_MS ? setTimeout(askDirectly, DIRECT_AFTER_MS) : setTimeout(() => resolve('over'), leftMs);
    deadline.signal?.addEventListener('abort', askDirectly, { once: true });
    this.#start();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      deadline.signal?.removeEventListener('abort', askDirectly);
      this.#waiters.delete(requestId);
      // Nobody waits for the answer any more.
      if (this.#waiters.size === 0) this.#question?.abort();
    }
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // It ends by itself and never rejects: what fails is told as an event.
    void this.#run();
  }

  async #run(): Promise<void> {
    const { clock, onEvent } = this.#options.transport;
    try {
      while (this.#waiters.size > 0) {
        const startedAt = clock.now();
        const waitMs = await this.#ask();
        await clock.sleep(Math.max(waitMs, MIN_POLL_SPACING_MS - (clock.now() - startedAt)));
      }
    } catch (error) {
      this.#isLost = true;
      for (const resolve of this.#waiters.values()) resolve(undefined);
      onEvent({ type: 'operation-failed', modelId: '', operation: 'retrieve_futures', error: error as Error });
    } finally {
      this.#isRunning = false;
    }
  }

  /** Asks once; returns how long to wait before the next time. Throws what will not mend. */
  async #ask(): Promise<number> {
    const { transport, samplingSessionId } = this.#options;
    const told = [...this.#fetched];
    this.#question = new AbortController();
    const { signal } = this.#question;
    let reply: Reply;
    try {
      reply = await transport.send(
        {
          path: 'retrieve_futures',
          json: {
            // Numbers of samples begin at 0, which makes this client the first of the session's clones.
            target: { type: 'sampling_session', sampling_session_id: samplingSessionId, cloned_sampler_id: 0 },
            prev_cursor: this.#cursor,
            retrieved_request_ids: told,
          },
        },
        {
          deadline: startDeadline({ timeoutMs: 2 * POLL_TIMEOUT_MS, signal, clock: transport.clock }),
          attemptTimeoutMs: POLL_TIMEOUT_MS,
        },
      );
    } catch (error) {
      if (TinkerAbandonedError.isInstance(error)) return 0;
      if (!TinkerTransportError.isInstance(error)) throw error;
      return error.wasSilent ? 0 : this.#failed(error);
    } finally {
      this.#question = undefined;
    }
    if (reply.status === 408) return 0;
    if (!reply.isOk) {
      const error = transport.toError(reply, { operation: 'retrieve_futures' });
      const isBare = reply.status === 400 && reply.bytes.byteLength === 0;
      if (reply.status === 429 || reply.status >= 500 || isBare)
        return this.#failed(error, transport.retryAfterMs(reply));
      throw error;
    }
    this.#failures = 0;
    this.#failingSince = undefined;
    for (const requestId of told) this.#fetched.delete(requestId);
    this.#read(reply.json());
    return 0;
  }

  #read(body: unknown): void {
    const { completions, cursor } = (body ?? {}) as { completions?: unknown; cursor?: unknown };
    if (!Array.isArray(completions) || typeof cursor !== 'number') {
      const reason = 'it has no completions or no cursor';
      throw new TinkerProtocolError({ operation: 'retrieve_futures', reason });
    }
    this.#cursor = cursor;
    for (const each of completions as Record<string, unknown>[]) {
      const requestId = String(each['request_id']);
      const size = each['response_payload_uncompressed_size'];
      // A failed sample is announced without a size; fetching it gives the error.
      const announcement = { payloadBytes: typeof size === 'number' && size >= 0 ? size : undefined };
      const resolve = this.#waiters.get(requestId);
      if (resolve !== undefined) resolve(announcement);
      else if (this.#early.size < MAX_EARLY) this.#early.set(requestId, announcement);
    }
  }

  #failed(error: TinkerError, retryAfterMs?: number): number {
    const { clock, random } = this.#options.transport;
    this.#failingSince ??= clock.now();
    if (clock.now() - this.#failingSince > FAILURE_BUDGET_MS) throw error;
    this.#failures += 1;
    return retryAfterMs ?? backoffMs(POLL_BACKOFF, this.#failures - 1, random);
  }
}
