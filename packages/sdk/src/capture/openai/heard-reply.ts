import type { CallRecord, CallTokens, RecordedMessage, TokensMissingReason } from '@lachesis/protocol';

/** One reply as it was heard. */
export interface HeardChoice {
  message: RecordedMessage;
  finishReason: string | null;
  tokenIds: readonly number[] | undefined;
  logprobs: readonly number[] | undefined;
  promptTokenIds: readonly number[] | undefined;
}

export interface HeardReply {
  choices: readonly HeardChoice[];
  usage: CallRecord['usage'];
  cost: number | null;
  policyVersion: number | null;
  model: string | undefined;
  /** What a stream says when it breaks off with a reason. */
  error: string | undefined;
}

/** Tokens are kept whole or not at all, with the reason. */
export function toReply(
  { message, finishReason, ...heard }: HeardChoice,
  policyVersion: number | null,
  isWhole: boolean,
): CallRecord['replies'][number] {
  const { tokens, missing } = readTokens(heard, policyVersion, isWhole);
  return { message, finish_reason: finishReason, tokens, tokens_missing: missing };
}

function readTokens(
  { tokenIds, logprobs, promptTokenIds }: Pick<HeardChoice, 'tokenIds' | 'logprobs' | 'promptTokenIds'>,
  policyVersion: number | null,
  isWhole: boolean,
): { tokens: CallTokens | null; missing: TokensMissingReason | null } {
  const without = (missing: TokensMissingReason) => ({ tokens: null, missing });
  if (!isWhole) return without('interrupted');
  if (tokenIds === undefined) return without('backend-returns-none');
  if (logprobs === undefined) return without('no-logprobs');
  if (tokenIds.length !== logprobs.length) return without('length-mismatch');
  return {
    tokens: {
      prompt_token_ids: promptTokenIds === undefined ? null : [...promptTokenIds],
      token_ids: [...tokenIds],
      logprobs: [...logprobs],
      policy_version: policyVersion,
    },
    missing: null,
  };
}
