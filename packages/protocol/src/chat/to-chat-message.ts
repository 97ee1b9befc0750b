import { isRecord } from '../values/is-record.ts';
import type { ChatMessage, ChatToolCall } from './message.ts';

/**
 * A message that somebody else's program sent, as it can be kept: clients and servers send what they like, and one odd message
 * must not cost the rest. What is null says nothing and is left out, but for the content, which is null beside tool calls.
 */
export function toChatMessage(value: unknown, fallbackRole = 'user'): ChatMessage {
  if (!isRecord(value)) return { role: fallbackRole, content: toText(value) };
  const message: ChatMessage = { role: typeof value['role'] === 'string' ? value['role'] : fallbackRole };
  for (const [name, field] of Object.entries(value)) {
    if (name === 'role') continue;
    if (name === 'content') message.content = toContent(field);
    else if (name === 'tool_calls') {
      if (Array.isArray(field) && field.length > 0) message.tool_calls = field.map(toToolCall);
    } else if (TEXTS.has(name)) {
      if (field !== null) message[name] = toText(field);
    } else if (field !== null) message[name] = field;
  }
  return message;
}

const TEXTS = new Set(['reasoning_content', 'tool_call_id', 'name']);

function toContent(value: unknown): ChatMessage['content'] {
  if (typeof value === 'string' || value === null || value === undefined) return value ?? null;
  if (!Array.isArray(value)) return toText(value);
  return value.map((part) =>
    isRecord(part) && typeof part['type'] === 'string'
      ? { ...part, type: part['type'] }
      : { type: 'text', text: toText(part) },
  );
}

function toToolCall(value: unknown): ChatToolCall {
  if (!isRecord(value)) return { function: { name: '', arguments: toText(value) } };
  const { id, type, index: _place, function: called, ...rest } = value;
  const { name, arguments: given, ...others } = isRecord(called) ? called : {};
  return {
    ...rest,
    ...(typeof id === 'string' ? { id } : {}),
    type: typeof type === 'string' ? type : 'function',
    // Some servers send the arguments as an object; the text is then ours.
    function: { ...others, name: typeof name === 'string' ? name : '', arguments: toText(given ?? '') },
  };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
