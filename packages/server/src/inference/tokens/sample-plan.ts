import type { Tokenizer } from '@lachesis/sdk/render';
import { badParameter } from '../calls/body-rules.ts';
import type { TokenSample } from '../policy/weights-source.ts';

/** The fields of a request that say how to sample, by OpenAI's and vLLM's names. */
export interface SamplingRequest {
  n?: number | null | undefined;
  max_tokens?: number | null | undefined;
  max_total_tokens?: number | null | undefined;
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  top_k?: number | null | undefined;
  seed?: number | null | undefined;
  stop?: string | string[] | null | undefined;
  stop_token_ids?: number[] | null | undefined;
  ignore_eos?: boolean | null | undefined;
  skip_special_tokens?: boolean | null | undefined;
  include_stop_str_in_output?: boolean | null | undefined;
  frequency_penalty?: number | null | undefined;
  presence_penalty?: number | null | undefined;
  repetition_penalty?: number | null | undefined;
  min_p?: number | null | undefined;
  min_tokens?: number | null | undefined;
  logit_bias?: Record<string, number> | null | undefined;
  best_of?: number | null | undefined;
}

export interface SamplePlan extends Omit<TokenSample, 'prompt' | 'signal' | 'promptLogprobs'> {
  /** The longest prompt and reply together that the caller takes. */
  maxTotalTokens: number | undefined;
  /** Texts that end a sequence. They are looked for here, because servers take either texts or ids. */
  stopTexts: readonly string[];
  /** Whether the text of a reply leaves special tokens out, and stop texts are looked for without them. */
  skipSpecialTokens: boolean;
  /** Whether the text of a reply keeps the stop text that ended it. */
  includesStopText: boolean;
}

/** Settings we do not have, with the value that changes nothing. Taking another one silently would sample from a policy nobody asked for. */
const NEUTRAL: readonly [keyof SamplingRequest, number][] = [
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
  ['repetition_penalty', 1],
  ['min_p', 0],
  ['min_tokens', 0],
];

/** Turns the settings of a request into what the engine is asked. */
export function planSample(
  request: SamplingRequest,
  { tokenizer, defaultMaxTokens }: { tokenizer: Tokenizer; defaultMaxTokens: number },
): SamplePlan {
  refuseUnknownSampling(request);
  const texts = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []);
  if (texts.includes('')) throw badParameter('stop', 'has an empty text, which ends every reply before it begins');
  const stopTokens = new Set<number>(request.stop_token_ids ?? []);
  if (request.ignore_eos !== true) for (const token of tokenizer.stopTokens) stopTokens.add(token);
  for (const text of texts) {
    const token = tokenizer.addedTokens.find((each) => each.text === text)?.id;
    if (token !== undefined) stopTokens.add(token);
  }
  return {
    samples: request.n ?? 1,
    maxTokens: request.max_tokens ?? defaultMaxTokens,
    maxTotalTokens: request.max_total_tokens ?? undefined,
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? undefined,
    // -1 and 0 are vLLM's and SGLang's words for "all".
    topK: (request.top_k ?? 0) > 0 ? (request.top_k ?? undefined) : undefined,
    seed: request.seed ?? undefined,
    stopTokens: [...stopTokens],
    stopTexts: texts,
    skipSpecialTokens: request.skip_special_tokens ?? true,
    includesStopText: request.include_stop_str_in_output ?? false,
  };
}

function refuseUnknownSampling(request: SamplingRequest): void {
  for (const [name, neutral] of NEUTRAL) {
    const value = request[name];
    if (value !== undefined && value !== null && value !== neutral) {
      throw badParameter(name, `is not supported; leave it out or send ${neutral}`);
    }
  }
  if (Object.keys(request.logit_bias ?? {}).length > 0) throw badParameter('logit_bias', 'is not supported');
  if ((request.best_of ?? request.n ?? 1) !== (request.n ?? 1)) {
    throw badParameter('best_of', 'is not supported; ask for n and choose yourself');
  }
}
