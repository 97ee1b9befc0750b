import type { ChatMessage, ChatToolCall, ToolCallFormat } from '@lachesis/protocol';
import { joinTexts, parseToolCalls } from '../calls/create-tool-call-parser.ts';
import type { MalformedCall, ReadCall, ToolCallEvent } from '../calls/tool-call-event.ts';
import type { Tool } from './message.ts';

export interface ParseReplyTextOptions {
  readonly text: string;
  /** How calls are written; undefined leaves them in the content. */
  readonly toolFormat: ToolCallFormat | undefined;
  /** What encloses the reasoning; undefined leaves it in the content. */
  readonly reasoning?: { readonly open: string; readonly close: string } | undefined;
  /** The tools that were offered; some formats write values without quotes, and a schema says which are text. */
  readonly tools?: readonly Tool[] | undefined;
  /** Whether the generation prompt ended inside the reasoning, so that a reply without its end is all reasoning. */
  readonly startsInReasoning?: boolean | undefined;
}

export interface ReadReply {
  readonly message: ChatMessage & { readonly role: 'assistant'; readonly content: string };
  /** Calls that could not be read; each also stands in the content, where the model wrote it. */
  readonly malformedCalls: readonly MalformedCall[];
}

/** Takes a reply apart into reasoning, content and calls. What is written while thinking is no call. */
export function parseReplyText(options: ParseReplyTextOptions): ReadReply {
  const { text, toolFormat: format, tools } = options;
  const { reasoning, rest } = splitReasoning(text, options.reasoning, options.startsInReasoning === true);
  const events: ToolCallEvent[] =
    format === undefined ? [{ type: 'text-delta', text: rest }] : parseToolCalls({ format, text: rest, tools });
  const calls = events.filter((event): event is ReadCall => event.type === 'tool-call');
  return {
    message: {
      role: 'assistant',
      content: joinContent(events, calls.length > 0),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(toMessageCall) }),
    },
    malformedCalls: events.filter((event): event is MalformedCall => event.type === 'malformed-call'),
  };
}

/** Arguments stay the text that the model wrote, as on the wire of the chat APIs, so that they can be rendered back exactly. */
function toMessageCall({ id, name, argumentsText }: ReadCall): ChatToolCall {
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: argumentsText } };
}

function joinContent(events: readonly ToolCallEvent[], hasCalls: boolean): string {
  const visible = events.filter((event) => event.type !== 'tool-call');
  const texts = joinTexts(
    visible.map((event) => ({ type: 'text-delta', text: event.type === 'text-delta' ? event.text : event.raw })),
  );
  const text = texts.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  // The white space around calls is the format's, not the author's.
  return hasCalls ? text.trimEnd() : text;
}

function splitReasoning(
  text: string,
  tags: ParseReplyTextOptions['reasoning'],
  startsInReasoning: boolean,
): { reasoning: string | undefined; rest: string } {
  if (tags === undefined) return { reasoning: undefined, rest: text };
  const openAt = text.trimStart().startsWith(tags.open) ? text.indexOf(tags.open) : -1;
  const closeAt = text.indexOf(tags.close);
  const from = openAt < 0 ? 0 : openAt + tags.open.length;
  if (closeAt >= 0) {
    const rest = text.slice(closeAt + tags.close.length).replace(/^\n+/, '');
    return { reasoning: text.slice(from, closeAt).replaceAll(/^\n+|\n+$/g, ''), rest };
  }
  // Thinking that was cut off, or that the model never closed: all of it is thinking, and there is no answer yet.
  if (openAt >= 0 || startsInReasoning) return { reasoning: text.slice(from).replace(/^\n+/, ''), rest: '' };
  return { reasoning: undefined, rest: text };
}
