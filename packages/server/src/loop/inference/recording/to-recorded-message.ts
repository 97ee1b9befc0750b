import type { OfferedTool, RecordedMessage, RecordedToolCall } from '@lachesis/protocol';

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A message as it can be kept. Clients and upstreams send what they like; one odd message must not cost the record. What is
 * null says nothing and is left out, but for the content, which is null beside tool calls.
 */
export function toRecordedMessage(value: unknown, fallbackRole = 'user'): RecordedMessage {
  if (!isFields(value)) return { role: fallbackRole, content: toText(value) };
  const message: RecordedMessage = { role: typeof value['role'] === 'string' ? value['role'] : fallbackRole };
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

function toContent(value: unknown): RecordedMessage['content'] {
  if (typeof value === 'string' || value === null || value === undefined) return value ?? null;
  if (!Array.isArray(value)) return toText(value);
  return value.map((part) =>
    isFields(part) && typeof part['type'] === 'string'
      ? { ...part, type: part['type'] }
      : { type: 'text', text: toText(part) },
  );
}

function toToolCall(value: unknown): RecordedToolCall {
  if (!isFields(value)) return { function: { name: '', arguments: toText(value) } };
  const { id, type, function: called, ...rest } = value;
  const { name, arguments: given, ...others } = isFields(called) ? called : {};
  return {
    ...rest,
    ...(typeof id === 'string' ? { id } : {}),
    type: typeof type === 'string' ? type : 'function',
    // Some servers send the arguments as an object; the text is then ours.
    function: { ...others, name: typeof name === 'string' ? name : '', arguments: toText(given ?? '') },
  };
}

/** The tools of a request; null when there are none. */
export function toOfferedTools(value: unknown): OfferedTool[] | null {
  if (!Array.isArray(value)) return null;
  const tools = value.filter(isFields).flatMap((tool): OfferedTool[] => {
    const { type, function: offered, ...rest } = tool;
    const kind = typeof type === 'string' ? type : 'function';
    if (!isFields(offered)) return [{ ...rest, type: kind }];
    const { name, description, ...others } = offered;
    const described = typeof description === 'string' ? { description } : {};
    return [{ ...rest, type: kind, function: { ...others, ...described, name: typeof name === 'string' ? name : '' } }];
  });
  return tools.length === 0 ? null : tools;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
