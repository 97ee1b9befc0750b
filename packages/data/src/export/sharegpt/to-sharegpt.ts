import type { ConversationRecord, ChatMessage, ChatToolCall } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import type { DropReport } from '../../records/drop-report.ts';
import { reasoningOf, textOf } from '../../records/message-parts.ts';
import { parsePythonJson } from '../../records/python/parse-python-json.ts';
import { isBlank, strip, stripEnd, stripStart } from '../../records/python/python-space.ts';
import { countMessageDrops } from './count-message-drops.ts';
import { type Preamble, defaultPreamble, formatTools } from './preamble.ts';
import { flattenQuery, replaceImages } from './replace-images.ts';

export interface ShareGptElement {
  from: string;
  /** A text; a list of parts where a later message of the user has images, as Hermes has it. */
  value: unknown;
}

/** `human` and `gpt` as Hermes writes them, or `user` and `assistant` for trainers that want those. */
export type ShareGptRoles = 'hermes' | 'openai';

export interface ToShareGptOptions {
  readonly roles?: ShareGptRoles;
  /** Makes element 0. */
  readonly preamble?: Preamble;
  /** `always` gives every reply a thinking block, empty where nothing was thought; `present` leaves the empty ones out. */
  readonly think?: 'always' | 'present';
  readonly drops?: DropReport | undefined;
  /** Writes JSON inside calls and responses. A part of its own so that a test can put a wrong one there. */
  readonly formatJson?: (value: unknown) => string;
}

const EMPTY_THINK = '<think>\n</think>\n';

/** A conversation as Hermes 0.19.0 saves it, from element 1 on; its defects excepted. */
export function toShareGpt(
  { messages, tools }: Pick<ConversationRecord, 'messages' | 'tools'>,
  {
    roles = 'hermes',
    preamble = defaultPreamble,
    think = 'always',
    drops,
    formatJson = formatPythonJson,
  }: ToShareGptOptions = {},
): ShareGptElement[] {
  const [human, gpt] = roles === 'hermes' ? ['human', 'gpt'] : ['user', 'assistant'];
  const elements: ShareGptElement[] = [];
  const [first] = messages;
  const system = first?.role === 'system' ? textOf(first).text : null;
  const start = preamble({ system, tools: formatTools(tools, drops) });
  if (start !== null) elements.push({ from: 'system', value: start });
  else if (system !== null) drops?.add('messages.system', 'the preamble was left out, and the system prompt with it');

  let isFirstQuestion = true;
  for (let at = system === null ? 0 : 1; at < messages.length; at += 1) {
    const message = messages[at] as ChatMessage;
    if (drops !== undefined) countMessageDrops(message, drops);
    if (message.role === 'user') {
      elements.push({ from: human, value: isFirstQuestion ? flattenQuery(message) : replaceImages(message) });
      isFirstQuestion = false;
    } else if (message.role === 'assistant') {
      elements.push({ from: gpt, value: formatReply(message, { think, drops, formatJson }) });
      const responses: ChatMessage[] = [];
      const calls = message.tool_calls ?? [];
      while (calls.length > 0 && messages[at + 1]?.role === 'tool') {
        const response = messages[at + 1] as ChatMessage;
        if (drops !== undefined) countMessageDrops(response, drops);
        responses.push(response);
        at += 1;
      }
      if (drops !== undefined) countIdDrops(calls, responses, drops);
      if (responses.length > 0)
        elements.push({
          from: 'tool',
          value: responses
            .map((response, place) => formatResponse({ response, place, calls, drops, formatJson }))
            .join('\n'),
        });
    } else drops?.add(`messages.${message.role}`, 'it does not stand where the format has a place for this role');
  }
  return elements;
}

type Format = Required<Pick<ToShareGptOptions, 'think' | 'formatJson'>> & Pick<ToShareGptOptions, 'drops'>;

function formatReply(message: ChatMessage, { think, drops, formatJson }: Format): string {
  const reasoning = reasoningOf(message);
  const calls = message.tool_calls ?? [];
  let text = reasoning === null || isBlank(reasoning) ? '' : `<think>\n${reasoning}\n</think>\n`;
  const content = renameScratchpad(textOf(message).text);
  if (calls.length === 0) return strip(withThink(text + content, think));
  if (!isBlank(content)) text += `${content}\n`;
  for (const call of calls) {
    const value = { name: call.function.name, arguments: readArguments(call, drops) };
    text += `<tool_call>\n${formatJson(value)}\n</tool_call>\n`;
  }
  return stripEnd(withThink(text, think));
}

const withThink = (text: string, think: 'always' | 'present'): string =>
  think === 'present' || text.includes('<think>') ? text : EMPTY_THINK + text;

const renameScratchpad = (text: string): string =>
  text.includes('<REASONING_SCRATCHPAD>')
    ? text.replaceAll('<REASONING_SCRATCHPAD>', '<think>').replaceAll('</REASONING_SCRATCHPAD>', '</think>')
    : text;

function readArguments(call: ChatToolCall, drops: DropReport | undefined): unknown {
  const text = call.function.arguments;
  try {
    const value = parsePythonJson(text);
    if (drops !== undefined && formatPythonJson(value) !== text)
      drops.add('messages.tool_calls.arguments', 'the JSON is kept and its spacing is not');
    return value;
  } catch {
    drops?.add('messages.tool_calls.arguments', 'arguments that are not JSON become {}');
    return {};
  }
}

interface ResponseInput extends Pick<Format, 'drops' | 'formatJson'> {
  readonly response: ChatMessage;
  readonly place: number;
  readonly calls: readonly ChatToolCall[];
}

function formatResponse({ response, place, calls, drops, formatJson }: ResponseInput): string {
  const id = response.tool_call_id ?? '';
  // Hermes goes by place, which names the wrong tool when answers come in another order.
  const byId = id === '' ? undefined : calls.find((call) => call.id === id);
  const name = byId?.function.name ?? response.name ?? calls[place]?.function.name ?? 'unknown';
  const value = { tool_call_id: id, name, content: readContent(response, drops) };
  return `<tool_response>\n${formatJson(value)}\n</tool_response>`;
}

function readContent(response: ChatMessage, drops: DropReport | undefined): unknown {
  const content = replaceImages(response);
  if (typeof content !== 'string') return content;
  const start = stripStart(content)[0];
  if (start !== '{' && start !== '[') return content;
  try {
    const value = parsePythonJson(content);
    if (drops !== undefined && formatPythonJson(value) !== content)
      drops.add('messages.content', 'the JSON of a tool is kept and its spacing is not');
    return value;
  } catch {
    // It only looked like JSON, so it stays the text it is.
    return content;
  }
}

function countIdDrops(calls: readonly ChatToolCall[], responses: readonly ChatMessage[], drops: DropReport): void {
  const answered = new Set(responses.map(({ tool_call_id }) => tool_call_id));
  const lost = calls.filter(({ id }) => id !== undefined && id !== null && !answered.has(id)).length;
  if (lost > 0) drops.add('messages.tool_calls.id', 'a call that has no answer has no id', lost);
  const order = responses.map(({ tool_call_id }) => calls.findIndex(({ id }) => id === tool_call_id));
  const names = calls.map(({ function: call }) => call.name);
  const isInOrder = order.every((place, at) => at === 0 || place > (order[at - 1] as number));
  if (new Set(names).size < names.length && (!isInOrder || lost > 0))
    drops.add('messages.tool_calls.id', 'calls of one tool are told apart by the order of their answers');
}
