import { isNumbers, isTokenIds, type CallState, type CallTokens, type TokensMissingReason } from '@lachesis/protocol';
import type { CollectedChoice } from './collected-reply.ts';

/** The tokens of a reply, or the reason why there are none. Ids that cannot be trusted are not kept. */
export function toRecordedTokens(
  { tokenIds, logprobs, promptTokenIds, policyVersion }: CollectedChoice,
  { state, askedIds }: { state: CallState; askedIds: readonly number[] | undefined },
): { tokens: CallTokens | null; tokens_missing: TokensMissingReason | null } {
  const missing = (reason: TokensMissingReason): ReturnType<typeof toRecordedTokens> => ({
    tokens: null,
    tokens_missing: reason,
  });
  if (state !== 'complete') return missing(state);
  const [ids, numbers, prompt]: unknown[] = [tokenIds, logprobs, promptTokenIds ?? askedIds];
  if (!isTokenIds(ids)) return missing('backend-returns-none');
  if (!isNumbers(numbers)) return missing('no-logprobs');
  if (ids.length !== numbers.length) return missing('length-mismatch');
  return {
    tokens: {
      prompt_token_ids: isTokenIds(prompt) ? prompt : null,
      token_ids: ids,
      logprobs: numbers,
      policy_version: policyVersion ?? null,
    },
    tokens_missing: null,
  };
}
