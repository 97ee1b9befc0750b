import { isRecord } from '@lachesis/protocol';
import { TinkerProtocolError, TinkerTimeoutError, TinkerTransportError } from '../errors/client-errors.ts';
import {
  TinkerBillingError,
  TinkerConflictError,
  TinkerJobFailedError,
  TinkerPromiseExpiredError,
  TinkerValidationError,
} from '../errors/server-errors.ts';
import type { JobFailureCategory } from '../errors/server-errors.ts';
import type { TinkerError } from '../errors/tinker-error.ts';
import type { EngineQueueState } from '../events.ts';
import { backoffMs, POLL_BACKOFF } from '../transport/backoff.ts';
import type { Deadline } from '../transport/deadline.ts';
import { cleanText, readErrorDetail } from '../transport/error-reply.ts';
import type { Reply } from '../transport/reply.ts';
import { describeFailure } from '../transport/transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { ByteBudget } from './byte-budget.ts';

/** Servers hold a poll for 30 to 300 s. A shorter limit of ours only means that the same question is asked again. */
const POLL_TIMEOUT_MS = 45_000;
/** A result may be asked for before it is registered, and once more after a server moved it. */
const NOT_FOUND_GRACE_MS = 10_000;
/** An engine that restarts is back within a minute. One that answers 500 for ever, as SkyRL does for NaN, is not waited for. */
const FAILURE_BUDGET_MS = 120_000;
/** A proxy can inject a 400 without a body. */
const MAX_BARE_400 = 3;
/** A server that says "try again" without having waited would otherwise be asked in a hot loop. */
const MIN_POLL_SPACING_MS = 50;

export interface PollOptions {
  transport: Transport;
  requestId: string;
  /** The word for the job in errors and events. */
  operation: string;
  /** Sample and forward results travel as protobuf; JSON is read too. */
  acceptsProtobuf: boolean;
  deadline: Deadline;
  /** Ask for the size first when the result is large. Strict servers do not know the question. */
  asksForSize: boolean;
  /** The size of the result, where it is known before it is asked for. */
  payloadBytes?: number | undefined;
  downloads: ByteBudget;
  failureBudgetMs?: number;
  billingPauseMs?: number;
}

/** Waits for a job and returns its result: the reply as it came, protobuf or JSON. */
export async function pollFuture(options: PollOptions): Promise<Reply> {
  return new FuturePoll(options).run();
}

/** What one answer means for the poll. */
type Step = { done: Reply } | { waitMs: number };

class FuturePoll {
  readonly #options: PollOptions;
  #queueState: EngineQueueState | undefined;
  #lastPollStatus: number | undefined;
  #lastFailure: string | undefined;
  #iteration = 0;
  #bare400 = 0;
  #failures = 0;
  #failingSince: number | undefined;
  #billingSince: number | undefined;
  #missingSince: number | undefined;
  #payloadBytes: number | undefined;
  #giveBack: (() => void) | undefined;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  async run(): Promise<Reply> {
    const { deadline, transport, payloadBytes } = this.#options;
    try {
      if (payloadBytes !== undefined) await this.#reserve(payloadBytes);
      for (;;) {
        const startedAt = transport.clock.now();
        const step = await this.#poll();
        if ('done' in step) return step.done;
        const spacingMs = MIN_POLL_SPACING_MS - (transport.clock.now() - startedAt);
        await deadline.sleep(Math.max(step.waitMs, spacingMs), this.#facts());
      }
    } catch (error) {
      throw TinkerTimeoutError.isInstance(error)
        ? new TinkerTimeoutError({ ...this.#facts(), timeoutMs: deadline.timeoutMs, cause: error.cause })
        : error;
    } finally {
      this.#giveBack?.();
    }
  }

  #facts() {
    const { operation, requestId } = this.#options;
    return {
      operation,
      requestId,
      waitingFor: 'the result',
      queueState: this.#queueState,
      lastPollStatus: this.#lastPollStatus,
      lastFailure: this.#lastFailure,
    };
  }

  async #poll(): Promise<Step> {
    const { transport, deadline, requestId, operation, acceptsProtobuf, asksForSize } = this.#options;
    const sizeQuestion =
      this.#payloadBytes === undefined
        ? asksForSize
          ? { allow_metadata_only: true }
          : {}
        : { allow_metadata_only: false };
    const iteration = this.#iteration;
    this.#iteration += 1;
    let reply: Reply;
    try {
      reply = await transport.send(
        {
          path: 'retrieve_future',
          json: { request_id: requestId, ...sizeQuestion },
          headers: {
            accept: acceptsProtobuf ? 'application/x-protobuf, application/json' : 'application/json',
            'x-tinker-request-iteration': String(iteration),
          },
        },
        { deadline, operation, requestId, attemptTimeoutMs: POLL_TIMEOUT_MS },
      );
    } catch (error) {
      if (!TinkerTransportError.isInstance(error)) throw error;
      // The server was still holding the poll: ask again at once. Any other silence backs off.
      if (error.wasSilent) return { waitMs: 0 };
      return this.#failed(error);
    }
    this.#lastPollStatus = reply.status;
    return this.#read(reply);
  }

  #read(reply: Reply): Promise<Step> | Step {
    const { transport, operation, requestId } = this.#options;
    const { status } = reply;
    if (reply.isOk || status === 408) return this.#readAnswer(reply);
    const error = transport.toError(reply, { operation, requestId });
    if (status === 402) return this.#pauseForBilling(error);
    // TuFT also answers 404 when the job ran and what it names is not there; only a missing future is waited for.
    const { text: told } = readErrorDetail(reply, transport.secrets);
    const didRun = /^Failed to retrieve future: (?!Future\b)/.test(told ?? '');
    if (status === 404 && !didRun) return this.#missing(error);
    if (status === 404)
      throw new TinkerJobFailedError({ operation, requestId, status, detail: told, category: 'user' });
    if (status === 429 || status >= 500) return this.#failed(error, transport.retryAfterMs(reply));
    if (status === 400 && reply.bytes.byteLength === 0 && this.#bare400 < MAX_BARE_400) {
      this.#bare400 += 1;
      return { waitMs: backoffMs(POLL_BACKOFF, 0, transport.random) };
    }
    // A refusal with an explanation is how the open servers tell that a job failed.
    if (TinkerValidationError.isInstance(error)) {
      const { text, fields } = readErrorDetail(reply, transport.secrets);
      const detail = text ?? fields.map(({ field, reason }) => `${field} ${reason}`).join('; ');
      throw new TinkerJobFailedError({ operation, requestId, status, detail, category: 'user' });
    }
    if (TinkerConflictError.isInstance(error) && error.conflict === 'state') {
      throw new TinkerJobFailedError({ operation, requestId, status, detail: error.message, category: 'user' });
    }
    throw error;
  }

  async #readAnswer(reply: Reply): Promise<Step> {
    if (reply.isProtobuf && reply.isOk) return { done: reply };
    const body = reply.status === 408 ? reply.tryJson() : reply.json();
    const fields: Record<string, unknown> = isRecord(body) ? body : {};
    if (reply.status === 408 || fields['type'] === 'try_again') {
      this.#settleFailures();
      this.#noteQueueState(fields);
      return { waitMs: 0 };
    }
    if (fields['status'] === 'complete_metadata') return this.#readSize(fields);
    if (typeof fields['error'] === 'string' && 'category' in fields)
      this.#throwFailure(fields['error'], fields['category']);
    return { done: reply };
  }

  async #readSize(fields: Record<string, unknown>): Promise<Step> {
    const { operation, requestId } = this.#options;
    if (this.#payloadBytes !== undefined) {
      throw new TinkerProtocolError({
        operation,
        requestId,
        reason: 'the size of the result was told twice, the result never',
      });
    }
    const size = Number(fields['response_payload_size'] ?? 0);
    await this.#reserve(Number.isFinite(size) ? size : 0);
    return { waitMs: 0 };
  }

  async #reserve(bytes: number): Promise<void> {
    const { downloads, deadline } = this.#options;
    this.#payloadBytes = bytes;
    this.#giveBack = await downloads.take(bytes, deadline, this.#facts());
  }

  #throwFailure(text: string, category: unknown): never {
    const { operation, requestId, transport } = this.#options;
    const known: JobFailureCategory = category === 'user' || category === 'server' ? category : 'unknown';
    throw new TinkerJobFailedError({
      operation,
      requestId,
      detail: cleanText(text, transport.secrets),
      category: known,
    });
  }

  #noteQueueState(fields: Record<string, unknown>): void {
    const { operation, requestId, transport } = this.#options;
    const told = fields['queue_state'];
    if (told === undefined) return;
    const state: EngineQueueState =
      told === 'active' || told === 'paused_capacity' || told === 'paused_rate_limit' ? told : 'unknown';
    if (state === this.#queueState) return;
    this.#queueState = state;
    const reason = fields['queue_state_reason'];
    transport.onEvent({
      type: 'queue-state',
      operation,
      requestId,
      state,
      reason: typeof reason === 'string' ? cleanText(reason, transport.secrets) : undefined,
    });
  }

  #failed(error: TinkerError, retryAfterMs?: number): Step {
    const { transport, failureBudgetMs = FAILURE_BUDGET_MS } = this.#options;
    const now = transport.clock.now();
    this.#failingSince ??= now;
    this.#lastFailure = describeFailure(error);
    if (now - this.#failingSince > failureBudgetMs) throw error;
    const waitMs = retryAfterMs ?? backoffMs(POLL_BACKOFF, this.#failures, transport.random);
    this.#failures += 1;
    return { waitMs };
  }

  #settleFailures(): void {
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#lastFailure = undefined;
    this.#missingSince = undefined;
    this.#bare400 = 0;
  }

  #missing(error: TinkerError): Step {
    const { transport, operation, requestId } = this.#options;
    const now = transport.clock.now();
    this.#missingSince ??= now;
    if (now - this.#missingSince > NOT_FOUND_GRACE_MS) {
      throw new TinkerPromiseExpiredError({ operation, requestId, status: 404, cause: error });
    }
    return { waitMs: 500 + 500 * transport.random() };
  }

  #pauseForBilling(error: TinkerError): Step {
    const { transport, operation, billingPauseMs = 0 } = this.#options;
    const now = transport.clock.now();
    this.#billingSince ??= now;
    if (!TinkerBillingError.isInstance(error) || now - this.#billingSince > billingPauseMs) throw error;
    transport.onEvent({ type: 'billing-paused', operation, retryInMs: 5_000 });
    return { waitMs: 5_000 };
  }
}
