import type { ChatMessage } from '@lachesis/protocol';
import { reasoningOf, textOf } from '../records/message-parts.ts';

/** Whether a reply shows its thinking: in a field of its own, or between tags in its text. */
export function hasReasoning(message: ChatMessage): boolean {
  if ((reasoningOf(message) ?? '').trim() !== '') return true;
  const { text } = textOf(message);
  return text.includes('<REASONING_SCRATCHPAD>') || text.includes('<think>');
}

export interface ReasoningCount {
  total_assistant_turns: number;
  turns_with_reasoning: number;
  turns_without_reasoning: number;
}

export function countReasoning(messages: readonly ChatMessage[]): ReasoningCount {
  const replies = messages.filter(({ role }) => role === 'assistant');
  const withReasoning = replies.filter(hasReasoning).length;
  return {
    total_assistant_turns: replies.length,
    turns_with_reasoning: withReasoning,
    turns_without_reasoning: replies.length - withReasoning,
  };
}
