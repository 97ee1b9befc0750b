import { type Clock, realClock } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { type ModelReply, createChatModel } from '@lachesis/sdk/agent';
import { textOf } from '../../records/message-parts.ts';
import { CompressionError } from '../compression-error.ts';
import type { CompressionSettings } from '../settings/compression-settings.ts';
import { type PauseGate, createPauseGate } from './create-pause-gate.ts';
import { type Summarizer, type SummaryQuestion, toSummaryText } from './summary.ts';
import { PROMPT_VERSION, writeSummaryPrompt } from './summary-prompt.ts';

export interface ModelSummarizerOptions {
  readonly settings: Pick<
    CompressionSettings,
    'model' | 'baseUrl' | 'temperature' | 'maxRetries' | 'retryDelaySeconds' | 'rowTimeoutSeconds'
  >;
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Shared with others who ask the same server. */
  readonly gate?: PauseGate | undefined;
}

const LONGEST_PAUSE_MS = 30_000;
/** After these the next call is refused as well. */
const REFUSED = new Set([401, 402, 403, 404]);

/** Summaries by any OpenAI-compatible server. */
export function createModelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { settings, apiKey, clock = realClock, random = Math.random, fetch } = options;
  const { model, temperature, maxRetries, retryDelaySeconds } = settings;
  const gate = options.gate ?? createPauseGate({ clock });
  const identity = { kind: 'model', model, base_url: withoutSecrets(settings.baseUrl), temperature };

  const ask = ({ content, targetTokens, signal }: SummaryQuestion): Promise<ModelReply> =>
    createChatModel({
      ...{ url: settings.baseUrl, apiKey, model, fetch, clock, retryForMs: 0 },
      timeoutMs: settings.rowTimeoutSeconds * 1000,
      sampling: { max_tokens: targetTokens * 2, ...(temperature === null ? {} : { temperature }) },
    })({ messages: [{ role: 'user', content: writeSummaryPrompt({ content, targetTokens }) }], tools: [], signal });

  return {
    identity: { ...identity, prompt_version: PROMPT_VERSION },
    isPaid: true,
    async summarize(question) {
      let errors = 0;
      let tries = 0;
      for (let calls = 1; ; calls += 1) {
        await gate.wait(question.signal);
        question.signal.throwIfAborted();
        let failure: unknown;
        try {
          const { message, finishReason, usage } = await ask(question);
          const text = toSummaryText(textOf(message).text);
          if (text !== undefined) {
            return {
              ...{ text, calls, errors, isCut: finishReason === 'length' },
              ...{ promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 },
            };
          }
          failure = new Error('the model answered with nothing');
        } catch (error) {
          question.signal.throwIfAborted();
          failure = error;
        }
        errors += 1;
        const pauseMs = Math.min(LONGEST_PAUSE_MS, retryDelaySeconds * 1000 * 2 ** tries) * (1 + random() / 2);
        if (ClientError.isInstance(failure) && failure.status === 429) {
          // The server is well and wants fewer calls: that is no failed try, and the limit of the row ends it.
          gate.pause(failure.retryAfterMs ?? Math.max(pauseMs, 1));
          continue;
        }
        tries += 1;
        if (isHopeless(failure)) throw refuse(failure, identity.base_url);
        if (tries >= maxRetries || (ClientError.isInstance(failure) && !failure.retryable && failure.code === 'http'))
          throw new NoSummaryError({ calls, errors, cause: failure });
        await clock.sleep(pauseMs, question.signal);
      }
    },
  };
}

/** Every try failed; says what was spent. */
export class NoSummaryError extends CompressionError {
  readonly calls: number;
  readonly errors: number;

  constructor({ calls, errors, cause }: { calls: number; errors: number; cause: unknown }) {
    const last = cause instanceof Error ? cause.message : String(cause);
    super({ kind: 'no-summary', reason: `there was no summary after ${calls} calls: ${last}`, cause });
    this.calls = calls;
    this.errors = errors;
  }
}

const isHopeless = (error: unknown): error is ClientError =>
  ClientError.isInstance(error) && error.status !== undefined && REFUSED.has(error.status);

const refuse = (error: ClientError, url: string): CompressionError =>
  new CompressionError({
    kind: 'summarizer-refused',
    reason: `The summariser at ${url} refuses every call: ${error.message}.`,
    hint: 'Look at the key, the model and the address, and run the command again: it goes on where it stopped.',
    cause: error,
  });

/** An address may carry a name and a password; rows and errors must not. */
function withoutSecrets(address: string): string {
  try {
    const url = new URL(address);
    return `${url.origin}${url.pathname}`;
  } catch (cause) {
    throw new CompressionError({
      kind: 'bad-settings',
      reason: 'summarization.base_url is not an address.',
      hint: 'It looks like http://127.0.0.1:8000/v1.',
      cause,
    });
  }
}
