import type { CompletionCall } from '../calls/completion-call.ts';
import { rolloutIdOf } from '../calls/completion-call.ts';
import type { CutReply } from '../tokens/cut-at-stop.ts';

/** What a choice carries beyond OpenAI's fields. The version always; ids and log probabilities when they were asked for. */
export function choiceExtras(options: {
  reply: CutReply;
  index: number;
  policyVersion: number;
  call: CompletionCall;
  withTokens: boolean;
}): { policy_version: number; token_ids?: number[]; token_logprobs?: number[]; rollout_id?: string } {
  const { reply, index, policyVersion, call, withTokens } = options;
  return {
    policy_version: policyVersion,
    ...(withTokens ? { token_ids: Array.from(reply.tokens), token_logprobs: Array.from(reply.logprobs) } : {}),
    ...rolloutIdOf(call, index),
  };
}

/** Tokens in and out, counted as OpenAI does: each prompt once. */
export function countUsage(
  promptTokens: number,
  replies: readonly CutReply[],
): {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
} {
  const completionTokens = replies.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
