import type { OfferedTool, ChatMessage } from '@lachesis/protocol';

export interface ModelQuestion {
  messages: readonly ChatMessage[];
  tools: readonly OfferedTool[];
  signal: AbortSignal;
}

/** Tokens read and written, as OpenAI counts them. */
export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** One answer of a model: the message, why it ended, and the tokens used. */
export interface ModelReply {
  /** As the server gave it: the next question sends it back unchanged, so that the conversation stays one. */
  message: ChatMessage;
  finishReason: string | null;
  /** Undefined where the server does not count. */
  usage?: TokenUsage | undefined;
}

/**
 * A model as `runAgent` calls it: messages and tools in, one reply out. A policy that samples tokens is one as well as
 * a server far away.
 */
export type AgentModel = (question: ModelQuestion) => Promise<ModelReply>;
