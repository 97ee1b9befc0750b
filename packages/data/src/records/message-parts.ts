import type { ChatMessage } from '@lachesis/protocol';

/** The thinking of a message, under whichever of its names it came. */
export function reasoningOf(message: ChatMessage): string | null {
  const { reasoning_content: named, reasoning: other } = message;
  // Some providers want a blank one beside the other.
  if (typeof named === 'string' && (named.trim() !== '' || typeof other !== 'string')) return named;
  return typeof other === 'string' ? other : null;
}

/** The text of a message; parts that are not text are counted and left out. */
export function textOf(message: ChatMessage): { text: string; others: number } {
  const { content } = message;
  if (typeof content === 'string') return { text: content, others: 0 };
  if (content === null || content === undefined) return { text: '', others: 0 };
  const texts: string[] = [];
  let others = 0;
  for (const part of content) {
    const text = part['text'];
    if (typeof text === 'string') texts.push(text);
    else others += 1;
  }
  return { text: texts.join('\n'), others };
}

/** Equal keys are messages that a model cannot tell apart. */
export function messageKey(message: ChatMessage): string {
  return JSON.stringify([
    message.role,
    message.content ?? null,
    reasoningOf(message),
    message.tool_calls?.map(({ id, function: call }) => [id ?? null, call.name, call.arguments]) ?? null,
    message.tool_call_id ?? null,
  ]);
}

export const conversationKey = (messages: readonly ChatMessage[]): string => messages.map(messageKey).join('\n');
