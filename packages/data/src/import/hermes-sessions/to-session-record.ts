import { type ConversationRecord, makeConversation, type ChatMessage } from '@lachesis/protocol';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { entriesOf, memberOf, parsePythonJson } from '../../records/python/parse-python-json.ts';
import type { Repair } from '../../records/read-result.ts';
import { readMessage, toPlain } from '../read-message.ts';

/** What marks a content that is a list, in the database. */
const LIST_MARK = '\u0000json:';
const ROLES = new Set(['system', 'user', 'assistant', 'tool']);
/** Fields of a row that belong to a message; the others are about the row. */
const FIELDS = ['role', 'content', 'tool_call_id', 'reasoning_content', 'reasoning_details'];

/** A session of Hermes, from its database or from `sessions export`. A sentence when it holds no conversation. */
export function toSessionRecord(
  session: PythonJsonValue,
  rows: readonly PythonJsonValue[],
): { record: ConversationRecord; repairs: Repair[] } | string {
  const id = memberOf(session, 'id');
  if (typeof id !== 'string') return 'the session has no id';
  const repairs: Repair[] = [];
  const messages: ChatMessage[] = [];
  const system = memberOf(session, 'system_prompt');
  if (typeof system === 'string' && system !== '') messages.push({ role: 'system', content: system });
  for (const row of rows) {
    // What the user took back, or what a summary stands for, was not seen by the model any more.
    if (memberOf(row, 'active') === 0) continue;
    const role = memberOf(row, 'role');
    if (typeof role !== 'string' || !ROLES.has(role)) {
      repairs.push({ kind: 'note-of-the-program', what: 'A row that is no message was left out.' });
      continue;
    }
    const message = readMessage(toMessageValue(row));
    if (typeof message === 'string') return `a message of session ${id} cannot be read: ${message}`;
    messages.push(message);
  }
  if (!messages.some(({ role }) => role !== 'system')) return `session ${id} has no messages`;
  const last = messages.at(-1);
  const started = memberOf(session, 'started_at');
  const model = memberOf(session, 'model');
  const record = makeConversation({
    id: `hermes/${id}`,
    messages,
    model: typeof model === 'string' ? model : null,
    timestamp: typeof started === 'number' ? new Date(started * 1000).toISOString() : null,
    completed: last?.role === 'assistant' && (last.tool_calls?.length ?? 0) === 0,
    extra: { hermes: Object.fromEntries(factsOf(session)) },
  });
  return { record, repairs };
}

function toMessageValue(row: PythonJsonValue): PythonJsonValue {
  const value = new Map<string, PythonJsonValue>();
  for (const key of FIELDS) {
    const item = memberOf(row, key);
    if (item !== undefined && (item !== null || key === 'content'))
      value.set(key, key === 'content' ? decodeContent(item) : item);
  }
  const reasoning = memberOf(row, 'reasoning');
  if (!value.has('reasoning_content') && typeof reasoning === 'string') value.set('reasoning_content', reasoning);
  const details = value.get('reasoning_details');
  if (typeof details === 'string') value.set('reasoning_details', parseOr(details));
  const name = memberOf(row, 'tool_name');
  if (typeof name === 'string' && name !== '') value.set('name', name);
  const given = memberOf(row, 'tool_calls');
  const calls = typeof given === 'string' ? parseOr(given) : given;
  if (Array.isArray(calls) && calls.length > 0) value.set('tool_calls', calls as readonly PythonJsonValue[]);
  return value;
}

function decodeContent(content: PythonJsonValue): PythonJsonValue {
  if (typeof content === 'string')
    return content.startsWith(LIST_MARK) ? parseOr(content.slice(LIST_MARK.length)) : content;
  return Array.isArray(content) || content === null ? content : formatPythonJson(content);
}

function parseOr(text: string): PythonJsonValue {
  try {
    return parsePythonJson(text);
  } catch {
    // Hermes reads it as text too when it does not parse.
    return text;
  }
}

/** What is known of the session besides its messages, for the way back and for filters. */
function* factsOf(session: PythonJsonValue): Generator<[string, unknown]> {
  for (const [key, value] of entriesOf(session)) {
    if (value === null || key === 'messages' || key === 'segments' || key === 'system_prompt') continue;
    yield [key, toPlain(value)];
  }
}
