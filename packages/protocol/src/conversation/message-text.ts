import type { ChatMessage } from '../chat/message.ts';

/** What a message says, with a word in the place of what is no text. */
export function messageText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  return content.map(describePart).join('\n');
}

function describePart(part: { type: string } & Record<string, unknown>): string {
  if (typeof part['text'] === 'string') return part['text'];
  return `[${part.type}]`;
}

/** The thinking of a message: beside its content, or at its beginning in a `<think>` block. */
export function splitThinking(message: ChatMessage): { thinking: string; text: string } {
  const text = messageText(message);
  const block = /^\s*<think>(?<inside>[\s\S]*?)(?:<\/think>\s*|$)/u.exec(text);
  const inside = block?.groups?.['inside']?.trim() ?? '';
  const beside = message.reasoning_content ?? readReasoning(message);
  return {
    thinking: [beside, inside].filter((part) => part !== '').join('\n'),
    text: block === null ? text : text.slice(block[0].length),
  };
}

function readReasoning(message: ChatMessage): string {
  const { reasoning } = message as { reasoning?: unknown };
  return typeof reasoning === 'string' ? reasoning : '';
}
