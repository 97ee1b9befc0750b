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

/** Equal keys are messages that a model cannot tell apart. The ids of calls are made anew with every reply and say nothing. */
export function messageKey(message: ChatMessage): string {
  return JSON.stringify([
    message.role,
    message.content ?? null,
    reasoningOf(message),
    message.tool_calls?.map(({ function: call }) => [call.name, call.arguments]) ?? null,
  ]);
}

/** The same for a conversation. Which call a message answers is told by its place, and not by its id. */
export function conversationKey(messages: readonly ChatMessage[]): string {
  const places = new Map<string, number>();
  const keys = messages.map((message) => {
    for (const { id } of message.tool_calls ?? []) if (typeof id === 'string') places.set(id, places.size);
    const answered = places.get(message.tool_call_id ?? '');
    return answered === undefined ? messageKey(message) : `${answered} ${messageKey(message)}`;
  });
  return keys.join('\n');
}
