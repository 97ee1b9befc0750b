import type { Tokenizer } from '@lachesis/sdk/render';
import type { SampledTokens } from '../policy/weights-source.ts';

export interface CutReply extends SampledTokens {
  /** What was said, without what ended it. */
  text: string;
  /** The text that ended the reply, or the id that did. */
  matched: string | number | undefined;
}

export interface CutAtStopOptions {
  tokenizer: Tokenizer;
  sampled: SampledTokens;
  stopTokens: readonly number[];
  stopTexts: readonly string[];
  skipSpecialTokens: boolean;
  includesStopText: boolean;
}

/**
 * Ends a sequence where it has to end: at its first stop token, or with the token that completes a stop text, whichever
 * comes first. The tokens stay what was sampled, the one that ended them included, because they are what is trained on;
 * only the text leaves the stop out.
 */
export async function cutAtStop(options: CutAtStopOptions): Promise<CutReply> {
  const { tokenizer, sampled, stopTokens, stopTexts, skipSpecialTokens, includesStopText: keepsStopText } = options;
  const decode = (tokens: Int32Array): Promise<string> => tokenizer.decode(tokens, { skipSpecialTokens });
  const stopAt = sampled.tokens.findIndex((token) => stopTokens.includes(token));
  const body = stopAt < 0 ? sampled.tokens : sampled.tokens.subarray(0, stopAt);
  const text = await decode(body);
  const found = firstStop(text, stopTexts);
  if (found !== undefined) {
    const length = await countTokens(decode, body, stopTexts);
    const end = found.at + (keepsStopText ? found.stop.length : 0);
    return { ...cut(sampled, length), text: text.slice(0, end), matched: found.stop };
  }
  if (stopAt < 0) return { ...sampled, stopReason: 'length', text, matched: undefined };
  return { ...cut(sampled, stopAt + 1), text, matched: sampled.tokens[stopAt] };
}

const cut = ({ tokens, logprobs }: SampledTokens, length: number): SampledTokens => ({
  tokens: tokens.subarray(0, length),
  logprobs: logprobs.subarray(0, length),
  stopReason: 'stop',
});

/** The fewest tokens whose text holds one of the stops; all of them together do. */
async function countTokens(
  decode: (tokens: Int32Array) => Promise<string>,
  tokens: Int32Array,
  stops: readonly string[],
): Promise<number> {
  // A text only grows with its tokens, but for a character that is not complete yet, and no stop ends in half a character.
  let [low, high] = [1, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firstStop(await decode(tokens.subarray(0, middle)), stops) === undefined) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the earliest stop of a text begins; of two that begin together, the longer. */
export function firstStop(text: string, stops: readonly string[]): { stop: string; at: number } | undefined {
  let first: { stop: string; at: number } | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at < 0) continue;
    if (first === undefined || at < first.at || (at === first.at && stop.length > first.stop.length)) {
      first = { stop, at };
    }
  }
  return first;
}
