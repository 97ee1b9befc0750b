import type { GroupPayload } from '@lachesis/protocol/codec';
import { readTrainedPositions, rowStarts } from './trained-positions.ts';

/** What the replies of a batch say of the policy that wrote them, whether they are trained on or not. */
export interface ReplyFacts {
  /** Minus the mean log probability of the sampled tokens: an estimate of the policy's entropy. Absent without any. */
  entropyEstimate: number | undefined;
  /** Share of the most frequent reply among all; absent without any. */
  mostCommonShare: number | undefined;
  /** Sampled tokens of each. */
  lengths: Float64Array;
}

/** One pass over the tokens of the replies; a reply is known by two numbers made of its tokens, not by a copy of them. */
export function measureReplies(groups: readonly GroupPayload[]): ReplyFacts {
  const counts = new Map<string, number>();
  const lengths: number[] = [];
  let tokens = 0;
  let logprobs = 0;
  for (const payload of groups) {
    const starts = rowStarts(payload.tokens.rowLengths);
    const isTrained = readTrainedPositions(payload);
    const sampled = payload.inferenceLogprobs?.values;
    for (let row = 0; row < starts.length; row += 1) {
      const [start, length] = [starts[row]!, payload.tokens.rowLengths[row]!];
      let [first, second, own] = [17, 31, 0];
      for (let position = 0; position < length; position += 1) {
        if (!isTrained(row, position)) continue;
        const token = payload.tokens.values[start + position]!;
        first = Math.imul(first ^ token, 0x01000193);
        second = Math.imul(second + token, 0x85ebca6b) ^ (second >>> 13);
        own += 1;
        if (sampled !== undefined) logprobs += sampled[start + position]!;
      }
      if (own === 0) continue;
      const reply = `${own}:${first}:${second}`;
      counts.set(reply, (counts.get(reply) ?? 0) + 1);
      lengths.push(own);
      if (sampled !== undefined) tokens += own;
    }
  }
  return {
    entropyEstimate: tokens === 0 ? undefined : Math.abs(logprobs / tokens),
    mostCommonShare: lengths.length === 0 ? undefined : Math.max(...counts.values()) / lengths.length,
    lengths: Float64Array.from(lengths),
  };
}
