import type { ChatMessage } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import { memberOf, parsePythonJson } from '../../records/python/parse-python-json.ts';

const OPEN = '<think>\n';
const EMPTY = '<think>\n</think>';
const CLOSE = '\n</think>';
/** The JSON of a call is one line, and calls are the end of a reply. */
const CALLS = /(?<=^|\n)(?:<tool_call>\n[^\n]*\n<\/tool_call>(?:\n|$))+$/;
const CALL = /<tool_call>\n(?<json>[^\n]*)\n<\/tool_call>/g;

/** The value of a `gpt` element as a message: thinking, text, and calls that have no ids yet. */
export function parseReplyValue(value: string): ChatMessage {
  const { reasoning, rest } = splitThinking(value);
  const calls = parseCalls(rest);
  const message: ChatMessage = { role: 'assistant', content: rest };
  if (calls !== undefined) {
    const content = rest.slice(0, calls.start).replace(/\n$/, '');
    message.content = content === '' ? null : content;
    message.tool_calls = calls.calls;
  }
  if (reasoning !== null) message.reasoning_content = reasoning;
  return message;
}

function splitThinking(value: string): { reasoning: string | null; rest: string } {
  const whole = { reasoning: null, rest: value };
  if (value.startsWith(EMPTY)) return cutAfter(value, EMPTY.length, null) ?? whole;
  if (!value.startsWith(OPEN)) return whole;
  const end = value.indexOf(CLOSE, OPEN.length);
  return end < 0 ? whole : (cutAfter(value, end + CLOSE.length, value.slice(OPEN.length, end)) ?? whole);
}

/** A thinking block ends with its line; anything else behind it makes it part of the text. */
function cutAfter(value: string, at: number, reasoning: string | null) {
  if (at === value.length) return { reasoning, rest: '' };
  return value[at] === '\n' ? { reasoning, rest: value.slice(at + 1) } : undefined;
}

function parseCalls(text: string): { start: number; calls: NonNullable<ChatMessage['tool_calls']> } | undefined {
  const match = CALLS.exec(text);
  if (match === null) return undefined;
  const calls: NonNullable<ChatMessage['tool_calls']> = [];
  for (const { groups } of match[0].matchAll(CALL)) {
    try {
      const call = parsePythonJson(groups?.['json'] ?? '');
      const name = memberOf(call, 'name');
      const given = memberOf(call, 'arguments');
      if (typeof name !== 'string' || given === undefined) return undefined;
      calls.push({ type: 'function', function: { name, arguments: formatPythonJson(given) } });
    } catch {
      // A model may write what is not JSON; then it stays the text that it wrote.
      return undefined;
    }
  }
  return { start: match.index, calls };
}
