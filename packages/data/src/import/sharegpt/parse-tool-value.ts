import type { ChatMessage } from '@lachesis/protocol';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { isJsonObject, memberOf, parsePythonJson } from '../../records/python/parse-python-json.ts';
import type { Repair } from '../../records/read-result.ts';

const RESPONSE = /<tool_response>\n(?<json>[^\n]*)\n<\/tool_response>/g;

interface Response {
  id: string;
  name: string | undefined;
  content: string | null;
}

/** The value of a `tool` element as messages, and ids for the calls before it. */
export function parseToolValue(
  value: string,
  calls: NonNullable<ChatMessage['tool_calls']>,
  repairs: Repair[],
): ChatMessage[] {
  const responses = sortNumbered(readResponses(value), repairs);
  const free = new Set(calls.keys());
  return responses.map(({ id, name, content }, place) => {
    const byName = calls.findIndex((call, at) => free.has(at) && call.function.name === name);
    const at = byName >= 0 ? byName : free.has(place) ? place : -1;
    const call = calls[at];
    if (call !== undefined) {
      free.delete(at);
      if (id !== '') call.id = id;
    }
    const message: ChatMessage = { role: 'tool', content };
    if (id !== '') message.tool_call_id = id;
    if (name === 'unknown' && call === undefined)
      repairs.push({
        kind: 'answer-without-call',
        what: 'A tool response answers no call; its name "unknown" is left out.',
      });
    else if (name !== undefined && call?.function.name !== name) message.name = name;
    return message;
  });
}

function readResponses(value: string): Response[] {
  const responses: Response[] = [];
  let end = 0;
  for (const match of value.matchAll(RESPONSE)) {
    const response = readResponse(match.groups?.['json'] ?? '');
    if (response === undefined || value.slice(end, match.index).trim() !== '') return plain(value);
    responses.push(response);
    end = match.index + match[0].length;
  }
  return responses.length === 0 || value.slice(end).trim() !== '' ? plain(value) : responses;
}

/** Text of another program: one answer as it stands. */
const plain = (value: string): Response[] => [{ id: '', name: undefined, content: value }];

function readResponse(json: string): Response | undefined {
  let value: PythonJsonValue;
  try {
    value = parsePythonJson(json);
  } catch {
    // Not the form of Hermes, so the whole element is kept as text.
    return undefined;
  }
  const content = memberOf(value, 'content');
  const name = memberOf(value, 'name');
  if (!isJsonObject(value) || content === undefined) return undefined;
  const id = memberOf(value, 'tool_call_id');
  return {
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : undefined,
    content: typeof content === 'string' || content === null ? content : formatPythonJson(content),
  };
}

const NUMBERED = /^(?<stem>.*?)(?<number>\d+)$/s;

/**
 * Hermes names answers by their place. Where the ids are numbered one after the other and came in another order, the numbers
 * say which call each answers, and the names go back to the places they were taken from.
 */
function sortNumbered(responses: Response[], repairs: Repair[]): Response[] {
  const parts = responses.map(({ id }) => NUMBERED.exec(id)?.groups);
  const numbers = parts.map((groups) => Number(groups?.['number'] ?? Number.NaN));
  const isOneStem = parts.every((groups) => groups !== undefined && groups['stem'] === parts[0]?.['stem']);
  const sorted = numbers.toSorted((a, b) => a - b);
  const isRun = sorted.every((number, at) => at === 0 || number === (sorted[at - 1] ?? 0) + 1);
  if (!isOneStem || !isRun || sorted.every((number, at) => number === numbers[at])) return responses;
  const names = responses.map(({ name }) => name);
  if (new Set(names).size === 1) return responses;
  repairs.push({
    kind: 'answers-named-by-place',
    what: 'Tool responses were named by their place; the numbers of their ids name them.',
  });
  return responses.map((response, at) => ({ ...response, name: names[sorted.indexOf(numbers[at] as number)] }));
}
