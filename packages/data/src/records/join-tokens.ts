import type { RecordTokens, TokensMissingReason, TrajectoryTurn } from '@lachesis/protocol';

/** Why a conversation has no tokens of its own as one training row. */
export type RowTokensMissing = TokensMissingReason | 'no-prompt-tokens' | 'prefix-break' | 'no-call';

export type JoinedTokens = { tokens: RecordTokens } | { missing: RowTokensMissing; turn_index: number | null };

export interface JoinTokensOptions {
  /** From the first turn on, each continuing the one before. */
  path: readonly TrajectoryTurn[];
  /** Which reply of the last turn; the turns before it were continued from their first. */
  choice: number;
}

/**
 * The tokens of a conversation as one row: what the model read has mask 0, what it wrote 1. Each prompt has to begin with all
 * tokens before it, as they were sampled. Where one does not, the row would not be what the model saw, so there is none.
 */
export function joinTokens({ path, choice }: JoinTokensOptions): JoinedTokens {
  const ids: number[] = [];
  const mask: (0 | 1)[] = [];
  const logprobs: number[] = [];
  for (const [place, turn] of path.entries()) {
    // What an application added by itself was read by no model until the next call, whose prompt holds it.
    if (turn.kind === 'messages') continue;
    const reply = turn.replies[place === path.length - 1 ? choice : 0];
    // A failed call wrote nothing, and the next one sent the same again.
    if (reply === undefined) continue;
    if (reply.tokens === null)
      return { missing: reply.tokens_missing ?? 'recorded-as-text', turn_index: turn.turn_index };
    const prompt = reply.tokens.prompt_token_ids;
    if (prompt === null) return { missing: 'no-prompt-tokens', turn_index: turn.turn_index };
    if (reply.tokens.logprobs.length !== reply.tokens.token_ids.length)
      return { missing: 'length-mismatch', turn_index: turn.turn_index };
    for (let at = 0; at < ids.length; at += 1)
      if (prompt[at] !== ids[at]) return { missing: 'prefix-break', turn_index: turn.turn_index };
    for (let at = ids.length; at < prompt.length; at += 1) push(prompt[at] ?? 0, 0, 0);
    for (const [at, id] of reply.tokens.token_ids.entries()) push(id, 1, reply.tokens.logprobs[at] ?? 0);
  }
  if (ids.length === 0) return { missing: 'no-call', turn_index: null };
  return { tokens: { token_ids: ids, mask, logprobs } };

  function push(id: number, written: 0 | 1, logprob: number): void {
    ids.push(id);
    mask.push(written);
    logprobs.push(logprob);
  }
}
