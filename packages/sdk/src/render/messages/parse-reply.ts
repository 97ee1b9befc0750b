import { joinTexts, parseToolCalls } from '../calls/create-tool-call-parser.ts';
import type { MalformedCall, ToolCall, ToolCallEvent, ToolCallFormat } from '../calls/tool-call-event.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { Message, MessageToolCall } from './message.ts';

export interface ParseReplyOptions {
  readonly tokenizer: Tokenizer;
  /** What the model sampled behind the generation prompt. */
  readonly tokens: Int32Array;
  /** Default: the format of the tokenizer's family. `null` leaves calls in the text. */
  readonly toolFormat?: ToolCallFormat | null;
}

export interface ParsedReply {
  readonly message: Message & { readonly role: 'assistant'; readonly content: string };
  /** `stop`: the model ended its turn. `length`: it was cut off. */
  readonly stopReason: 'stop' | 'length';
  /** Calls that could not be read; each also stands in the content, where the model wrote it. */
  readonly malformedCalls: readonly MalformedCall[];
  /** Tokens behind the one that ended the turn; whoever sampled should not have gone on. */
  readonly ignoredTokens: number;
}

export async function parseReply(options: ParseReplyOptions): Promise<ParsedReply> {
  const { tokenizer, tokens } = options;
  const { family } = tokenizer;
  const stopAt = tokens.findIndex((token) => tokenizer.stopTokens.has(token));
  const text = await tokenizer.decode(stopAt < 0 ? tokens : tokens.subarray(0, stopAt));
  const { reasoning, rest } = splitReasoning(text, family.reasoning);
  const format = options.toolFormat === undefined ? family.toolFormat : (options.toolFormat ?? undefined);
  const events: ToolCallEvent[] =
    format === undefined ? [{ type: 'text-delta', text: rest }] : parseToolCalls({ format, text: rest });
  const calls = events.filter((event): event is ToolCall => event.type === 'tool-call');
  return {
    message: {
      role: 'assistant',
      content: joinContent(events, calls.length > 0),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(toMessageCall) }),
    },
    stopReason: stopAt < 0 ? 'length' : 'stop',
    malformedCalls: events.filter((event): event is MalformedCall => event.type === 'malformed-call'),
    ignoredTokens: stopAt < 0 ? 0 : tokens.length - stopAt - 1,
  };
}

/** Arguments stay the text that the model wrote, as on the wire of the chat APIs, so that they can be rendered back exactly. */
function toMessageCall({ id, name, argumentsText }: ToolCall): MessageToolCall {
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
  tags: { readonly open: string; readonly close: string } | undefined,
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
  if (openAt >= 0) return { reasoning: text.slice(from).replace(/^\n+/, ''), rest: '' };
  return { reasoning: undefined, rest: text };
}
