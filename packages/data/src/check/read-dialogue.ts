import type { DataRecord, ChatMessage } from '@lachesis/protocol';

/** Every dialogue of a row: one of a conversation, two of a preference. */
export function readDialogues(record: DataRecord): readonly (readonly ChatMessage[])[] {
  if (record.kind === 'conversation') return [record.messages];
  return [
    [...record.prompt, ...record.chosen],
    [...record.prompt, ...record.rejected],
  ];
}

export function readText(message: ChatMessage): string {
  const { content } = message;
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n');
}

/** Something besides text, such as an image, is no emptiness. */
export function isEmpty(message: ChatMessage): boolean {
  if (message.tool_calls !== undefined && message.tool_calls !== null && message.tool_calls.length > 0) return false;
  if (Array.isArray(message.content) && message.content.some((part) => part.type !== 'text')) return false;
  return readText(message).trim() === '';
}
