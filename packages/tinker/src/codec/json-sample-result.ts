import { TinkerProtocolError } from '../errors/client-errors.ts';
import { float32FromJson, int32FromJson, tensorFromJson, toFloat } from './json-tensor.ts';
import { TOPK_PADDING_LOGPROB } from './sample-result.ts';
import type { RawSampleResult, RawSequence, TopkLogprobs } from './sample-result.ts';

/** Reads the JSON form of a sample result. */
export function sampleResultFromJson(value: unknown): RawSampleResult {
  const {
    sequences,
    prompt_logprobs: promptLogprobs,
    topk_prompt_logprobs: topkPrompt,
    target_prompt_logprobs: target,
    prompt_alt_tokens: alternatives,
    prompt_cache_hit_tokens: hits,
  } = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(sequences)) throw new TinkerProtocolError({ reason: 'sequences is no list' });
  return {
    sequences: (sequences as unknown[]).map(readSequence),
    promptLogprobs: isAbsent(promptLogprobs) ? undefined : float32FromJson(promptLogprobs, 'prompt_logprobs'),
    topkPrompt: isAbsent(topkPrompt) ? undefined : readTopk(topkPrompt),
    targetPromptLogprobs: isAbsent(target) ? undefined : tensorFromJson(target, 'target_prompt_logprobs'),
    promptAlternatives: isAbsent(alternatives) ? undefined : readAlternatives(alternatives as Record<string, unknown>),
    promptCacheHitTokens: typeof hits === 'number' ? hits : 0,
  };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function readSequence(value: unknown): RawSequence {
  const { tokens, logprobs, stop_reason: reason, topk_logprobs: topk } = (value ?? {}) as Record<string, unknown>;
  return {
    tokens: int32FromJson(tokens, 'tokens'),
    logprobs: isAbsent(logprobs) ? undefined : float32FromJson(logprobs, 'logprobs'),
    stopReason: reason === 'length' ? 'length' : 'stop',
    topk: isAbsent(topk) ? undefined : readTopk(topk),
  };
}

/** Per position a list of [token, logprob], or null: becomes rows of equal length with the padding of the binary form. */
function readTopk(value: unknown): TopkLogprobs {
  if (!Array.isArray(value)) throw new TinkerProtocolError({ reason: 'top-k log probabilities are no list' });
  const rows = value as ([number, unknown][] | null)[];
  const k = rows.reduce((most, row) => Math.max(most, row?.length ?? 0), 0);
  const tokens = new Int32Array(rows.length * k);
  const logprobs = new Float32Array(rows.length * k).fill(TOPK_PADDING_LOGPROB);
  for (const [position, row] of rows.entries()) {
    for (const [rank, [token, logprob]] of (row ?? []).entries()) {
      tokens[position * k + rank] = token;
      logprobs[position * k + rank] = toFloat(logprob, 'top-k');
    }
  }
  return { k, length: rows.length, tokens, logprobs };
}

const readAlternatives = ({ tokens, logprobs }: Record<string, unknown>): RawSampleResult['promptAlternatives'] => ({
  tokens: tensorFromJson(tokens, 'prompt_alt_tokens.tokens'),
  logprobs: tensorFromJson(logprobs, 'prompt_alt_tokens.logprobs'),
});
