import { TinkerAbandonedError, TinkerTransportError } from '../errors/client-errors.ts';
import { TinkerBillingError, TinkerRateLimitedError } from '../errors/server-errors.ts';
import { noteUnknownOutcome, TinkerError } from '../errors/tinker-error.ts';
import type { OnTinkerEvent } from '../events.ts';
import { backoffMs, readRetryAfterMs, REQUEST_BACKOFF } from './backoff.ts';
import type { Clock } from '@lachesis/protocol';
import type { Deadline } from './deadline.ts';
import { toReplyError } from './error-reply.ts';
import type { HttpRequest, SendHttp } from './http-client.ts';
import { Reply } from './reply.ts';

/** One HTTP call under `/api/v1/`. */
export interface Call {
  method?: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** Such as `optim_step` or `training_runs/R/checkpoints/weights/N`; slashes inside ids stay as they are. */
  path: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, with its content type among the headers. */
  bytes?: Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
}

export interface SendOptions {
  deadline: Deadline;
  /** The word for this call in errors and events; the path when absent. */
  operation?: string | undefined;
  requestId?: string | undefined;
  /** The longest one attempt may take. */
  attemptTimeoutMs?: number | undefined;
}

export interface RequestOptions extends SendOptions {
  /** Attempts in all. */
  maxAttempts?: number | undefined;
  /** Whether a call that may have reached the server is sent again. False for what would then happen twice. */
  repeatsSafely?: boolean | undefined;
  /** Statuses the caller reads itself instead of getting an error. */
  acceptStatuses?: readonly number[] | undefined;
  /** A 429 is given to the caller at once, because it paces its calls itself. */
  throwRateLimit?: boolean | undefined;
  /** Called when an attempt ended so that the server may have acted on it. */
  onAmbiguous?: (() => void) | undefined;
}

export interface TransportOptions {
  baseUrl: string;
  sendHttp: SendHttp;
  /** The credential of this moment. */
  credential: () => string | undefined;
  clock: Clock;
  wallClock: () => number;
  random: () => number;
  newId: () => string;
  onEvent: OnTinkerEvent;
  extraHeaders: Readonly<Record<string, string>>;
  /** How long 402 is sat out before it is an error. */
  billingPauseMs: () => number;
}

/** Long enough for a body of 5 MB on a slow line, short enough to notice a dead connection. */
const ATTEMPT_TIMEOUT_MS = 60_000;
const MIN_ATTEMPT_MS = 1_000;
const MAX_ATTEMPTS = 10;
const BILLING_RETRY_MS = 5_000;

/** Sends calls, waits, repeats and names what failed. It knows HTTP and nothing of training. */
export class Transport {
  readonly #options: TransportOptions;
  #trouble: string | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** The text values no error may repeat. */
  get secrets(): readonly string[] {
    const credential = this.#options.credential();
    const { 'user-agent': _agent, ...secret } = this.#options.extraHeaders;
    return [...(credential === undefined ? [] : [credential]), ...Object.values(secret)];
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get random(): () => number {
    return this.#options.random;
  }

  get onEvent(): OnTinkerEvent {
    return this.#options.onEvent;
  }

  /** What the last attempt of any call met when it got no answer; undefined when it got one. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  urlOf(path: string): string {
    return `${this.#options.baseUrl}/api/v1/${path}`;
  }

  /** What every call carries. */
  headers(): Record<string, string> {
    const credential = this.#options.credential();
    return { ...this.#options.extraHeaders, ...(credential === undefined ? {} : { 'x-api-key': credential }) };
  }

  toError(reply: Reply, facts: { operation?: string | undefined; requestId?: string | undefined }): TinkerError {
    return toReplyError({ ...facts, reply, secrets: this.secrets, wallClock: this.#options.wallClock });
  }

  retryAfterMs(reply: Reply): number | undefined {
    return readRetryAfterMs(reply.headers, this.#options.wallClock);
  }

  /** One attempt: any status is an answer; no answer is a TinkerTransportError. */
  async send(
    call: Call,
    { deadline, operation = call.path, requestId, attemptTimeoutMs }: SendOptions,
  ): Promise<Reply> {
    const facts = { operation, requestId };
    deadline.check({ ...facts, waitingFor: 'an answer' });
    const limitMs = attemptLimitMs(attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS, deadline.remainingMs());
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    let isOverTime = false;
    const timer = setTimeout(() => {
      isOverTime = true;
      controller.abort();
    }, limitMs);
    deadline.signal?.addEventListener('abort', stop, { once: true });
    try {
      const reply = new Reply(await this.#options.sendHttp(this.#toRequest(call, controller.signal)));
      this.#noteDeprecation(reply, operation);
      this.#trouble = undefined;
      return reply;
    } catch (cause) {
      const outcomeUnknown = isOverTime || mayHaveArrived(cause);
      if (deadline.signal?.aborted === true)
        throw new TinkerAbandonedError({ ...facts, outcomeUnknown, cause: deadline.signal.reason });
      const reason = isOverTime ? `nothing came within ${Math.round(limitMs)} ms` : nameFailure(cause);
      this.#trouble = reason;
      throw new TinkerTransportError({ ...facts, reason, outcomeUnknown, wasSilent: isOverTime });
    } finally {
      clearTimeout(timer);
      deadline.signal?.removeEventListener('abort', stop);
    }
  }

  /** Sends until there is an answer that settles it; the deadline and the number of attempts bound it. */
  async request(call: Call, options: RequestOptions): Promise<Reply> {
    let wasAmbiguous = false;
    const onAmbiguous = (): void => {
      wasAmbiguous = true;
      options.onAmbiguous?.();
    };
    try {
      return await this.#repeat(call, { ...options, onAmbiguous });
    } catch (error) {
      if (!TinkerError.isInstance(error)) throw error;
      if (error.outcomeUnknown && !wasAmbiguous) onAmbiguous();
      // The last error tells what happened last; that an earlier attempt may have arrived must not get lost with it.
      throw wasAmbiguous ? noteUnknownOutcome(error) : error;
    }
  }

  async #repeat(call: Call, options: RequestOptions): Promise<Reply> {
    const { deadline, operation = call.path, requestId, maxAttempts = MAX_ATTEMPTS, repeatsSafely = true } = options;
    const key = call.method === 'GET' ? {} : { 'x-idempotency-key': this.#options.newId() };
    const keyed: Call = { ...call, headers: { ...key, ...call.headers } };
    let billingSince: number | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(keyed, options);
      if (outcome.reply !== undefined) return outcome.reply;
      const { error } = outcome;
      if (TinkerBillingError.isInstance(error)) {
        billingSince ??= this.clock.now();
        if (this.clock.now() - billingSince > this.#options.billingPauseMs()) throw error;
        attempt -= 1;
        this.onEvent({ type: 'billing-paused', operation, retryInMs: BILLING_RETRY_MS });
        await deadline.sleep(BILLING_RETRY_MS, { operation, requestId, waitingFor: 'the account' });
        continue;
      }
      if (error.outcomeUnknown) options.onAmbiguous?.();
      const mayRepeat = isRepeatable(error, outcome.shouldRetry) && (repeatsSafely || !error.outcomeUnknown);
      if (!mayRepeat || attempt + 1 >= maxAttempts) throw error;
      if (TinkerRateLimitedError.isInstance(error) && options.throwRateLimit === true) throw error;
      const waitMs = outcome.retryAfterMs ?? backoffMs(REQUEST_BACKOFF, attempt, this.random);
      this.onEvent({ type: 'call-retried', operation, attempt: attempt + 1, status: error.status, waitMs });
      const lastFailure = describeFailure(error);
      await deadline.sleep(waitMs, { operation, requestId, waitingFor: 'an answer', lastFailure });
    }
  }

  async #attempt(
    call: Call,
    { acceptStatuses = [], ...options }: RequestOptions,
  ): Promise<
    | { reply: Reply }
    | { reply?: undefined; error: TinkerError; retryAfterMs?: number | undefined; shouldRetry?: boolean | undefined }
  > {
    const { operation = call.path, requestId } = options;
    try {
      const reply = await this.send(call, options);
      if (reply.isOk || acceptStatuses.includes(reply.status)) return { reply };
      if (reply.status === 400 && reply.bytes.byteLength === 0) {
        // Proxies in front of the managed service answer so for a connection they gave up.
        return {
          error: new TinkerTransportError({
            operation,
            requestId,
            status: 400,
            reason: 'an empty 400',
            outcomeUnknown: true,
          }),
        };
      }
      const hint = reply.headers.get('x-should-retry');
      return {
        error: this.toError(reply, { operation, requestId }),
        retryAfterMs: this.retryAfterMs(reply),
        shouldRetry: hint === null ? undefined : hint === 'true',
      };
    } catch (error) {
      if (TinkerTransportError.isInstance(error)) return { error };
      throw error;
    }
  }

  #toRequest(call: Call, signal: AbortSignal): HttpRequest {
    const headers: Record<string, string> = { ...this.headers(), ...call.headers };
    if (call.json !== undefined) headers['content-type'] = 'application/json';
    return {
      url: this.urlOf(call.path),
      method: call.method ?? 'POST',
      headers,
      body: call.json === undefined ? call.bytes : JSON.stringify(call.json),
      signal,
    };
  }

  #noteDeprecation(reply: Reply, operation: string): void {
    const note = reply.headers.get('x-deprecation-note');
    if (note === null) return;
    const level = reply.headers.get('x-deprecation-level') === 'error' ? 'error' : 'warning';
    this.onEvent({ type: 'call-deprecated', operation, level, note });
  }
}

/** Half of what is left, so that a connection that died without a word leaves time for another one. */
function attemptLimitMs(wantedMs: number, remainingMs: number): number {
  return Math.min(wantedMs, remainingMs, Math.max(MIN_ATTEMPT_MS, remainingMs / 2));
}

function isRepeatable(error: TinkerError, hint: boolean | undefined): boolean {
  if (hint !== undefined) return hint;
  return error.kind === 'transport' || error.kind === 'rate-limited';
}

/** Errors that are thrown before a byte of the request has left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_INVALID_CHAR',
]);

function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

const mayHaveArrived = (error: unknown): boolean => !NEVER_SENT.has(codeOf(error) ?? '');

/** An engine that died takes its models along, so waiting for it is not enough. */
const NOBODY_THERE =
  'nothing listens at the address of the server (ECONNREFUSED); start it again, and go on from the last saved state with createTrainingFromState';

/** The code alone: messages of the network layer may quote headers. */
function nameFailure(error: unknown): string {
  const code = codeOf(error);
  return code === 'ECONNREFUSED' ? NOBODY_THERE : (code ?? 'the connection failed');
}

/** What the last attempt met, for an error that ends the waiting. */
export const describeFailure = (error: TinkerError): string =>
  TinkerTransportError.isInstance(error) ? error.reason : `HTTP ${error.status ?? 'none'}`;

/** Whether a failed call may have had its effect all the same. */
export const isOutcomeUnknown = (error: unknown): error is TinkerError =>
  TinkerError.isInstance(error) && error.outcomeUnknown;
