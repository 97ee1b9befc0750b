import { rewardReplySchema, type ChatMessage } from '@lachesis/protocol';
import { EnvironmentError } from '../environment-error.ts';
import { type Outcome, abstained, failed, scored } from '../outcome.ts';
import type { Reward, RewardInput } from './reward.ts';

export interface HttpRewardOptions {
  /** Where to ask. It gets `{messages, reply, expected}` and answers `{reward}`, with `signals` if it likes, or `{abstained}`. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  /** Which model grades, where the server has several. */
  readonly model?: string | undefined;
  /** For one answer. Default 60 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How often a server that is away or overloaded is asked again. Default 3. */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number) => Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 3;
const FIRST_PAUSE_MS = 250;
/** A reward is a number and a few signals; who sends more is not a reward server. */
const MAX_REPLY_CHARACTERS = 100_000;

/**
 * A reward that somebody's server gives. One that is away, is slow or answers something else is a failure of the verifier and
 * no number.
 */
export function createHttpReward(options: HttpRewardOptions): Reward {
  const { url, apiKey, model, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const { fetch: request = globalThis.fetch, sleep = sleepFor } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new EnvironmentError({
      kind: 'bad-server',
      reason: `${JSON.stringify(url)} is not the address of a reward server.`,
      hint: 'Give one that begins with http:// or https://.',
    });
  }

  async function askOnce(input: RewardInput, body: string): Promise<{ outcome: Outcome; mayRetry: boolean }> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal]);
    try {
      const response = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body,
        signal,
      });
      const text = await response.text();
      if (response.ok) return { outcome: readReply(text, url), mayRetry: false };
      const mayRetry = response.status === 429 || response.status >= 500;
      return { outcome: failed('verifier', `${url} answered with status ${response.status}`), mayRetry };
    } catch (error) {
      if (input.signal?.aborted === true) {
        return { outcome: failed('infrastructure', `the request to ${url} was cancelled`), mayRetry: false };
      }
      // All the time was given once already.
      if (deadline.aborted) {
        return { outcome: failed('verifier', `${url} gave no reward within ${timeoutMs} ms`), mayRetry: false };
      }
      return { outcome: failed('verifier', `${url} cannot be reached: ${describe(error)}`), mayRetry: true };
    }
  }

  return async (input) => {
    const { messages, ...call } = toCall(input);
    if (messages.length < 2) return failed('verifier', 'there is no conversation to grade the reply in');
    const body = JSON.stringify({ ...(model === undefined ? {} : { model }), ...call, messages });
    for (let attempt = 0; ; attempt += 1) {
      const { outcome, mayRetry } = await askOnce(input, body);
      if (!mayRetry || attempt >= retries) return outcome;
      await sleep(FIRST_PAUSE_MS * 2 ** attempt);
    }
  };
}

/** The conversation up to and with the reply, whether or not the rollout has put it there already. */
function toCall({ answer, expected, messages = [] }: RewardInput): {
  messages: readonly ChatMessage[];
  reply: string;
  expected?: unknown;
} {
  const hasReply = messages.at(-1)?.role === 'assistant';
  return {
    messages: hasReply ? messages : [...messages, { role: 'assistant', content: answer }],
    reply: answer,
    ...(expected === undefined ? {} : { expected }),
  };
}

function readReply(text: string, url: string): Outcome {
  const unusable = failed('verifier', `the reply of ${url} cannot be used: it is not {"reward": a number}`);
  if (text.length > MAX_REPLY_CHARACTERS) return unusable;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Told below: text that is no JSON is no reward.
    return unusable;
  }
  const { data } = rewardReplySchema.safeParse(json);
  if (data === undefined) return unusable;
  if ('abstained' in data) return abstained(String(data.abstained));
  return scored(data.reward, data.signals ?? undefined);
}

const sleepFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
