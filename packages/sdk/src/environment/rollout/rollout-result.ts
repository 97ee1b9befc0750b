import type { ChatMessage, ChatToolCall } from '@lachesis/protocol';
import type { Completion } from '../policy/policy.ts';

/** What a rollout gave, ready for whoever grades it. */
export interface RolloutResult {
  /** The whole conversation, prompt included. */
  readonly messages: readonly ChatMessage[];
  /** The text of the last reply. */
  readonly finalResponse: string;
  /** Of the last reply: `stop`, `length`, … */
  readonly finishReason: string;
  /** All sampled ids, turn after turn; empty when the server does not give them. */
  readonly tokens: Int32Array;
  readonly turnsUsed: number;
  /** The environment or the model ended it, not a limit on tokens or turns. */
  readonly finishedNaturally: boolean;
  readonly toolCalls: readonly ChatToolCall[];
  /** Names of the tools that were called, each once, in order of first use. */
  readonly toolsUsed: readonly string[];
  /** Messages of tools that say of themselves that they failed (`is_error: true`). */
  readonly toolErrors: readonly ChatMessage[];
}

/** One attempt at an item: the conversation and the replies that were sampled for it. */
export interface Trajectory {
  readonly messages: readonly ChatMessage[];
  /** One per turn of the model. At least one. */
  readonly completions: readonly Completion[];
  /** A limit on turns ended it. */
  readonly wasCut?: boolean;
}

export function summariseTrajectory({ messages, completions, wasCut }: Trajectory): RolloutResult {
  const last = completions.at(-1);
  const toolCalls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  return {
    messages,
    finalResponse: last?.text ?? '',
    finishReason: last?.finishReason ?? 'none',
    tokens: joinTokens(completions),
    turnsUsed: completions.length,
    finishedNaturally: wasCut !== true && last !== undefined && last.finishReason !== 'length',
    toolCalls,
    toolsUsed: [...new Set(toolCalls.map((call) => call.function.name))],
    toolErrors: messages.filter((message) => message.role === 'tool' && message['is_error'] === true),
  };
}

function joinTokens(completions: readonly Completion[]): Int32Array {
  const joined = new Int32Array(completions.reduce((sum, { tokens }) => sum + tokens.length, 0));
  let start = 0;
  for (const { tokens } of completions) {
    joined.set(tokens, start);
    start += tokens.length;
  }
  return joined;
}
