import { type OfferedTool, type ChatMessage, offeredToolSchema, chatMessageSchema } from '@lachesis/protocol';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { entriesOf, isJsonObject, memberOf, parsePythonJson } from '../records/python/parse-python-json.ts';

/** A message as chat clients have it. Arguments that are an object become JSON text again. A sentence when it is none. */
export function readMessage(value: PythonJsonValue | undefined): ChatMessage | string {
  if (value === undefined || !isJsonObject(value)) return 'a message is not an object';
  const message: Record<string, unknown> = {};
  for (const [key, item] of entriesOf(value)) {
    // Tables have a column for every key, and null where a row has none.
    if (item === null && key !== 'content') continue;
    message[key] = key === 'tool_calls' ? readCalls(item) : toPlain(item);
  }
  const parsed = chatMessageSchema.safeParse(message);
  return parsed.success ? parsed.data : `a message does not fit: ${parsed.error.issues[0]?.message ?? 'unknown'}`;
}

export function readMessages(value: PythonJsonValue | undefined, field: string): ChatMessage[] | string {
  if (!Array.isArray(value)) return `${field} is not a list of messages`;
  if (value.length === 0) return `${field} is empty`;
  const messages: ChatMessage[] = [];
  for (const [place, item] of (value as readonly PythonJsonValue[]).entries()) {
    const message = readMessage(item);
    if (typeof message === 'string') return `${field}[${place}]: ${message}`;
    messages.push(message);
  }
  return messages;
}

/** A list, or the JSON text of one. */
export function readTools(value: PythonJsonValue | undefined): OfferedTool[] | null | string {
  if (value === undefined || value === null || value === '') return null;
  let list: PythonJsonValue = value;
  if (typeof value === 'string') {
    try {
      list = parsePythonJson(value);
    } catch {
      return 'tools is a text that is not JSON';
    }
  }
  const parsed = offeredToolSchema.array().safeParse(toPlain(list));
  if (!parsed.success) return 'tools is not a list of tools';
  return parsed.data.length === 0 ? null : parsed.data;
}

function readCalls(value: PythonJsonValue): unknown {
  if (!Array.isArray(value)) return toPlain(value);
  return (value as readonly PythonJsonValue[]).map((call) => {
    const plain = toPlain(call) as Record<string, unknown>;
    const given = memberOf(memberOf(call, 'function'), 'arguments');
    const definition = plain['function'];
    if (typeof definition !== 'object' || definition === null || given === undefined) return plain;
    return {
      ...plain,
      function: { ...definition, arguments: typeof given === 'string' ? given : formatPythonJson(given) },
    };
  });
}

/** As ordinary values: what is not the text of arguments loses nothing by being a number. */
export const toPlain = (value: PythonJsonValue): unknown => {
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? Number(value) : value;
  return JSON.parse(JSON.stringify(toJson(value))) as unknown;
};

function toJson(value: PythonJsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return (value as readonly PythonJsonValue[]).map(toJson);
  if (isJsonObject(value)) return Object.fromEntries(entriesOf(value).map(([key, item]) => [key, toJson(item)]));
  return value;
}
