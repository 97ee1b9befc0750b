import type { OfferedTool, ChatMessage } from '@lachesis/protocol';
import type { TokenUsage } from './agent-model.ts';

/**
 * Why an agent ended. `answered`: a reply without a call. `cut-off`: the reply reached the server's limit of tokens.
 * `empty-reply`: neither text nor a call.
 */
export type AgentEndReason =
  | 'answered'
  | 'cut-off'
  | 'empty-reply'
  | 'max-turns'
  | 'max-tokens'
  | 'deadline'
  | 'aborted'
  | 'model-failed';

/** How a run of `runAgent` ended, with the conversation and what it used. */
export interface AgentResult {
  reason: AgentEndReason;
  /** What the last reply said. */
  text: string;
  /** The whole conversation; every call in it has an answer, so that it can be continued. */
  messages: ChatMessage[];
  turns: number;
  toolCalls: number;
  usage: TokenUsage;
  /** Why the model gave no reply, with `model-failed`. */
  error?: Error | undefined;
}

/** Keeps what happens. It does not throw: recording never fails an agent. */
export interface AgentRecorder {
  /** After each reply whose calls are answered. A recorder that hears the calls themselves leaves it out. */
  turn?(messages: readonly ChatMessage[], tools: readonly OfferedTool[]): void;
  end(result: AgentResult): void | Promise<void>;
}
