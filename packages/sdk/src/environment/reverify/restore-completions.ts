import type { BaseConfig } from '../config/base-config.ts';
import type { Completion } from '../policy/policy.ts';
import { textOf } from '../policy/read-completions.ts';
import { findReplies, type StoredRollout } from './read-stored-group.ts';

/** The replies of a rollout as a server gave them, with their tokens where the file has them. */
export function restoreCompletions(
  { messages, sequences }: StoredRollout,
  promptLength: number,
  config: Pick<BaseConfig, 'max_completion_tokens' | 'max_token_length'>,
): Completion[] {
  const replies = messages.slice(promptLength).filter(({ role }) => role === 'assistant');
  const sampled = sequences.flatMap((row) => findReplies(row).map(({ start, end }) => ({ row, start, end })));
  // Replies that were masked leave no trace among the tokens: which tokens are whose is then not known.
  const hasTokens = replies.length > 0 && sampled.length > 0 && sampled.length % replies.length === 0;
  return replies.map((message, at): Completion => {
    const place = hasTokens ? sampled[at]! : undefined;
    const tokens = Int32Array.from(place?.row.tokens.slice(place.start, place.end) ?? []);
    const isCut =
      place !== undefined &&
      at === replies.length - 1 &&
      (tokens.length >= (config.max_completion_tokens ?? Number.POSITIVE_INFINITY) ||
        place.end >= config.max_token_length);
    return {
      text: textOf(message.content),
      message,
      promptTokens: Int32Array.from(place?.row.tokens.slice(0, place.start) ?? []),
      tokens,
      logprobs: new Float32Array(tokens.length),
      finishReason: isCut ? 'length' : 'stop',
      policyVersion: undefined,
    };
  });
}
