import type { ChatMessage } from '@lachesis/protocol';
import { isDeepStrictEqual } from 'node:util';
import { MESSAGE_FIELDS, type MessageField } from './parquet-schema.ts';

/** A message as one struct of a Parquet list: every field is there, and null where the message has none. */
export interface MessageStruct {
  role: string;
  content: string | null;
  reasoning_content?: string | null;
  tool_calls?: { id: string | null; type: string | null; function: { name: string; arguments: string } }[] | null;
  tool_call_id?: string | null;
  name?: string | null;
}

export function toMessageStruct(message: ChatMessage): MessageStruct {
  const calls = message.tool_calls;
  return {
    role: message.role,
    content: readText(message.content),
    reasoning_content: message.reasoning_content ?? null,
    tool_calls:
      calls === undefined || calls === null || calls.length === 0
        ? null
        : calls.map((call) => ({
            id: call.id ?? null,
            type: call.type ?? null,
            function: { name: call.function.name, arguments: call.function.arguments },
          })),
    tool_call_id: message.tool_call_id ?? null,
    name: message.name ?? null,
  };
}

/** The way back: null is absent, but for `content`, where a message that only calls tools says null itself. */
export function fromMessageStruct(struct: MessageStruct): ChatMessage {
  const message: ChatMessage = { role: struct.role, content: struct.content };
  for (const field of ['reasoning_content', 'tool_call_id', 'name'] as const) {
    const value = struct[field];
    if (value !== undefined && value !== null) message[field] = value;
  }
  if (struct.tool_calls !== undefined && struct.tool_calls !== null) {
    message.tool_calls = struct.tool_calls.map((call) => ({
      ...(call.id === null ? {} : { id: call.id }),
      ...(call.type === null ? {} : { type: call.type }),
      function: { name: call.function.name, arguments: call.function.arguments },
    }));
  }
  return message;
}

/** Whether the struct says all of the message: no parts, no fields of a provider's own, no null that was written out. */
export function isSaidByStruct(message: ChatMessage): boolean {
  return isDeepStrictEqual(fromMessageStruct(toMessageStruct(message)), message);
}

/** The fields that some message has, so that a set without tools has no column of nulls that templates stumble over. */
export function findMessageFields(messages: Iterable<ChatMessage>): MessageField[] {
  const found = new Set<MessageField>();
  for (const message of messages) {
    if (found.size === MESSAGE_FIELDS.length) break;
    const struct = toMessageStruct(message);
    for (const field of MESSAGE_FIELDS) if ((struct[field] ?? null) !== null) found.add(field);
  }
  return MESSAGE_FIELDS.filter((field) => found.has(field));
}

/** The text of a content; images and other parts are in the exact form alone. */
function readText(content: ChatMessage['content']): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n');
}
