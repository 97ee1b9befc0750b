import { TinkerAbandonedError, TinkerStoppedError, TinkerTransportError } from '../errors/client-errors.ts';
import { TinkerPromiseExpiredError, TinkerRateLimitedError } from '../errors/server-errors.ts';
import { CompletionPoller } from '../futures/completion-poller.ts';
import { readText } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { Deadline, WaitOptions } from '../transport/deadline.ts';
import type { Reply } from '../transport/reply.ts';
import { readSample } from './read-sample.ts';
import type { SampleReply } from './read-sample.ts';
import type { SampleLimiter, SampleLimiterState } from './sample-limiter.ts';
import { promptLength, toSampleRequest } from './sample-request.ts';
import type { SampleOptions, SampleRules } from './sample-request.ts';
import type { SamplerSource } from './sampler-source.ts';

export interface SamplingClientOptions {
  link: ServerLink;
  /** Where the sampling session comes from, and who keeps its weights in place. */
  source: SamplerSource;
  limiter: SampleLimiter;
  rules: SampleRules;
  onClosed?: () => void;
}

/** A sample that was lost is sent again this often; each time is new work for the server. */
const MAX_RESUBMISSIONS = 3;

/**
 * Samples from one set of weights, with log probabilities. Any number of samples may be under way; the limiter holds
 * back what is too much.
 */
export class SamplingClient {
  readonly #options: SamplingClientOptions;
  readonly #closed = new AbortController();
  /** One per sampling session, on servers that announce results. */
  readonly #pollers = new Map<string, CompletionPoller>();
  #nextSeqId = 0;
  #closing: Promise<void> | undefined;

  constructor(options: SamplingClientOptions) {
    this.#options = options;
  }

  /** The limits of this moment, for a dashboard. */
  get limits(): SampleLimiterState {
    return this.#options.limiter.state;
  }

  async sample(options: SampleOptions): Promise<SampleReply> {
    const { link, limiter, rules, source } = this.#options;
    if (this.#closed.signal.aborted)
      throw new TinkerStoppedError({ operation: 'asample', reason: 'the sampler is closed.' });
    const body = toSampleRequest(options, rules);
    const deadline = link.deadline(options);
    const leave = await limiter.enter(deadline);
    try {
      const session = await source.acquire(deadline);
      try {
        const reply = await this.#sampleUntilDone({ body, options, deadline, sessionId: session.samplingSessionId });
        limiter.succeeded();
        return reply;
      } finally {
        session.release();
      }
    } finally {
      leave();
    }
  }

  /** The log probability of each token given those before it; NaN for the first. */
  async computeLogprobs(tokens: Int32Array, wait: WaitOptions = {}): Promise<Float32Array> {
    // One token is sampled because servers do not sample none; its stop does not matter.
    const { eosTokens, profile } = this.#options.rules;
    const stop = eosTokens ?? (profile.stopsAtEos ? undefined : [0]);
    const reply = await this.sample({ ...wait, prompt: tokens, params: { maxTokens: 1, stop }, promptLogprobs: true });
    return reply.promptLogprobs!;
  }

  /** Gives the weights back. Samples under way end first. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#closed.abort();
      try {
        await this.#options.source.close();
      } finally {
        this.#options.onClosed?.();
      }
    })();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #sampleUntilDone(call: SampleCall): Promise<SampleReply> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#sampleOnce(call);
      } catch (error) {
        const isLost =
          TinkerPromiseExpiredError.isInstance(error) ||
          (TinkerTransportError.isInstance(error) && error.requestId !== undefined);
        if (!isLost || attempt >= MAX_RESUBMISSIONS) throw error;
        const { requestId, kind } = error;
        this.#options.link.transport.onEvent({
          type: 'sampling-resubmitted',
          requestId,
          attempt: attempt + 1,
          reason: kind,
        });
      }
    }
  }

  async #sampleOnce({ body, options, deadline, sessionId }: SampleCall): Promise<SampleReply> {
    const seqId = this.#nextSeqId;
    this.#nextSeqId += 1;
    const promptTokens = promptLength(options.prompt);
    const submitted = await this.#submit(
      { ...body, sampling_session_id: sessionId, seq_id: seqId },
      promptTokens,
      deadline,
    );
    const requestId = readText(submitted, 'request_id', 'asample');
    try {
      const reply = await this.#collect(requestId, sessionId, deadline);
      return readSample({
        reply,
        requestId,
        promptTokens,
        samples: options.samples ?? 1,
        wantsPromptLogprobs: options.promptLogprobs === true,
        sequenceIds: readNames(submitted['sample_sequence_ids']),
        localName: `${sessionId}:${seqId}`,
      });
    } catch (error) {
      if (TinkerAbandonedError.isInstance(error)) this.#cancel(requestId);
      throw error;
    }
  }

  #collect(requestId: string, samplingSessionId: string, deadline: Deadline): Promise<Reply> {
    const { link } = this.#options;
    const fetch = (payloadBytes?: number): Promise<Reply> =>
      link.future({ requestId, operation: 'asample', binary: true, deadline, payloadBytes });
    if (!link.flags.announcesSamples) return fetch();
    let poller = this.#pollers.get(samplingSessionId);
    if (poller === undefined) {
      poller = new CompletionPoller({ transport: link.transport, samplingSessionId });
      this.#pollers.set(samplingSessionId, poller);
    }
    return poller.collect(requestId, deadline, fetch);
  }

  /** Posts until the server takes it. A sample that was held back is the same sample, with the same number. */
  async #submit(
    body: Record<string, unknown>,
    promptTokens: number,
    deadline: Deadline,
  ): Promise<Record<string, unknown>> {
    const { link, limiter } = this.#options;
    const headers = link.profile.hasBackpressure ? { 'x-tinker-sampling-backpressure': '1' } : {};
    for (;;) {
      try {
        return await limiter.post(promptTokens, deadline, () =>
          link.post('asample', body, {
            deadline,
            headers,
            throwRateLimit: true,
            required: ['sampling_session_id', 'seq_id', 'prompt', 'sampling_params', 'num_samples'],
          }),
        );
      } catch (error) {
        if (!TinkerRateLimitedError.isInstance(error)) throw error;
        limiter.pushedBack(promptTokens, error.retryAfterMs);
        deadline.check({ operation: 'asample', waitingFor: 'the server to take samples again' });
      }
    }
  }

  /** The caller is gone; the server may stop too. Nobody waits for the answer, and a failure changes nothing. */
  #cancel(requestId: string): void {
    const { link } = this.#options;
    if (!link.profile.hasCancel || !link.flags.cancelsSamples) return;
    const deadline = link.deadline({ timeoutMs: 30_000 });
    link.post('cancel_future', { request_id: requestId }, { deadline, maxAttempts: 1 }).catch((error: Error) => {
      link.transport.onEvent({ type: 'operation-failed', modelId: '', operation: 'cancel_future', error });
    });
  }
}

interface SampleCall {
  body: Record<string, unknown>;
  options: SampleOptions;
  deadline: Deadline;
  sessionId: string;
}

const readNames = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
