import { type Outcome, failed, scored } from '../outcome.ts';
import type { Reward, RewardInput } from './reward.ts';

export interface HttpStatusRewardOptions {
  /** Where to ask. A function sees the rollout; never build the address from the answer, or the model chooses whom you call. */
  readonly url: string | ((input: RewardInput) => string);
  readonly method?: string;
  /** Statuses that are right. Default: any from 200 to 299. */
  readonly status?: number | readonly number[];
  /** When given, the body has to hold it. */
  readonly bodyIncludes?: string;
  readonly timeoutMs?: number;
  /**
   * What nobody answering means: `failed`, because a network that is down says nothing about the answer; or `wrong`, where the
   * rollout itself was to start the server.
   */
  readonly whenUnreachable?: 'failed' | 'wrong';
  readonly fetch?: typeof fetch;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Enough for any page that says whether it works. */
const MAX_BODY_BYTES = 1_000_000;

/** 1 when a request is answered with the right status, else 0. Redirects are not followed: they are a status too. */
export function createHttpStatusReward(options: HttpStatusRewardOptions): Reward {
  const { method = 'GET', status, bodyIncludes, whenUnreachable = 'failed', timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const request = options.fetch ?? fetch;
  return async (input): Promise<Outcome> => {
    const url = typeof options.url === 'string' ? options.url : options.url(input);
    if (!/^https?:\/\//.test(url)) return failed('verifier', `${JSON.stringify(url)} is not an http address`);
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal]);
    try {
      const response = await request(url, { method, redirect: 'manual', signal });
      const isRight =
        isWanted(response.status, status) &&
        (bodyIncludes === undefined || (await readBody(response)).includes(bodyIncludes));
      if (bodyIncludes === undefined) await response.body?.cancel();
      return scored(isRight ? 1 : 0, { http_status: response.status });
    } catch (error) {
      if (input.signal?.aborted === true) return failed('infrastructure', `the request to ${url} was cancelled`);
      if (whenUnreachable === 'wrong') return scored(0, { http_status: 0 });
      return deadline.aborted
        ? failed('timeout', `${url} gave no answer within ${timeoutMs} ms`)
        : failed('infrastructure', `${url} cannot be reached: ${describe(error)}`);
    }
  };
}

const isWanted = (found: number, wanted: number | readonly number[] | undefined): boolean =>
  wanted === undefined ? found >= 200 && found < 300 : [wanted].flat().includes(found);

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) break;
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
