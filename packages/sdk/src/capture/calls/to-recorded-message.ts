import type { OfferedTool, RecordedMessage, RecordedToolCall } from '@lachesis/protocol';
import { asText, isObject, toText } from './json-shapes.ts';

/**
 * A message as it can be kept. Clients and upstreams send what they like; one odd message must not cost the record. What is
 * null says nothing and is left out, but for the content, which is null beside tool calls.
 */
export function toRecordedMessage(value: unknown, fallbackRole = 'user'): RecordedMessage {
  if (!isObject(value)) return { role: fallbackRole, content: toText(value) };
  const message: RecordedMessage = { role: asText(value['role']) ?? fallbackRole };
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

/** What a model said, the same whether it came whole or in pieces. */
export function toReplyMessage(value: unknown): RecordedMessage {
  const message = toRecordedMessage(value, 'assistant');
  // Beside calls alone, an empty text is null in a whole reply and empty in a streamed one.
  if (message.content === '' && message.tool_calls !== undefined) message.content = null;
  return message;
}

function toContent(value: unknown): RecordedMessage['content'] {
  if (typeof value === 'string' || value === null || value === undefined) return value ?? null;
  if (!Array.isArray(value)) return toText(value);
  return value.map((part) =>
    isObject(part) && typeof part['type'] === 'string'
      ? { ...part, type: part['type'] }
      : { type: 'text', text: toText(part) },
  );
}

function toToolCall(value: unknown): RecordedToolCall {
  if (!isObject(value)) return { function: { name: '', arguments: toText(value) } };
  const { id, type, index: _place, function: called, ...rest } = value;
  const { name, arguments: given, ...others } = isObject(called) ? called : {};
  return {
    ...rest,
    ...(typeof id === 'string' ? { id } : {}),
    type: asText(type) ?? 'function',
    // Some servers send the arguments as an object; the text is then ours.
    function: { ...others, name: asText(name) ?? '', arguments: toText(given ?? '') },
  };
}

/** The tools of a request; null when there are none. */
export function toOfferedTools(value: unknown): OfferedTool[] | null {
  if (!Array.isArray(value)) return null;
  const tools = value.filter(isObject).map((tool): OfferedTool => {
    const { type, function: offered, ...rest } = tool;
    const kind = asText(type) ?? 'function';
    if (!isObject(offered)) return { ...rest, type: kind };
    const { name, description, ...others } = offered;
    const described = typeof description === 'string' ? { description } : {};
    return { ...rest, type: kind, function: { ...others, ...described, name: asText(name) ?? '' } };
  });
  return tools.length === 0 ? null : tools;
}
