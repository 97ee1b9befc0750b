import type { Tensor } from './tensor.ts';

/** The k most likely tokens at each of `length` positions, row by row. */
export interface TopkLogprobs {
  k: number;
  length: number;
  /** Padding is token 0 with log probability -99999. */
  tokens: Int32Array;
  logprobs: Float32Array;
}

export interface RawSequence {
  tokens: Int32Array;
  logprobs: Float32Array | undefined;
  stopReason: 'length' | 'stop';
  topk: TopkLogprobs | undefined;
}

/** A sample result as the server sent it, before this client's promises about it are checked. */
export interface RawSampleResult {
  sequences: RawSequence[];
  /** NaN where it is not defined. */
  promptLogprobs: Float32Array | undefined;
  topkPrompt: TopkLogprobs | undefined;
  targetPromptLogprobs: Tensor | undefined;
  promptAlternatives: { tokens: Tensor; logprobs: Tensor } | undefined;
  promptCacheHitTokens: number;
}

/** What the wire puts where there are fewer than k candidates. */
export const TOPK_PADDING_LOGPROB = -99_999;
