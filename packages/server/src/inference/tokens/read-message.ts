import type { ToolCallFormat } from '@lachesis/protocol';
import { parseToolCalls } from '@lachesis/sdk/render';

type ToolCallEvent = ReturnType<typeof parseToolCalls>[number];

export interface ReadMessageOptions {
  text: string;
  /** How calls are written; undefined leaves them in the content. */
  toolFormat: ToolCallFormat | undefined;
  /** The tools that were offered: where a format writes values without quotes, their schemas say which are text. */
  tools?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** What encloses thinking; undefined leaves it in the content. */
  reasoning: { readonly open: string; readonly close: string } | undefined;
  newCallId: () => string;
}

export type AssistantMessage = {
  role: 'assistant';
  content: string | null;
  refusal: null;
  reasoning_content?: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
};

/** Turns the text of a reply into a message. A call that cannot be read stays in the content, as the model wrote it. */
export function readMessage({ text, toolFormat, tools, reasoning, newCallId }: ReadMessageOptions): AssistantMessage {
  const { thought, rest } = splitReasoning(text, reasoning);
  const events: ToolCallEvent[] =
    toolFormat === undefined
      ? [{ type: 'text-delta', text: rest }]
      : parseToolCalls({ format: toolFormat, text: rest, tools });
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []));
  const content = events
    .map((event) => (event.type === 'text-delta' ? event.text : event.type === 'malformed-call' ? event.raw : ''))
    .join('');
  // The white space around calls is the format's, not the author's.
  const shown = calls.length > 0 ? content.trimEnd() : content;
  return {
    role: 'assistant',
    content: calls.length > 0 && shown === '' ? null : shown,
    refusal: null,
    ...(thought === undefined ? {} : { reasoning_content: thought }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, argumentsText }) => ({
            id: id ?? newCallId(),
            type: 'function' as const,
            function: { name, arguments: argumentsText },
          })),
        }),
  };
}

function splitReasoning(
  text: string,
  tags: ReadMessageOptions['reasoning'],
): { thought: string | undefined; rest: string } {
  if (tags === undefined) return { thought: undefined, rest: text };
  const isOpened = text.trimStart().startsWith(tags.open);
  const from = isOpened ? text.indexOf(tags.open) + tags.open.length : 0;
  const closeAt = text.indexOf(tags.close, from);
  if (closeAt >= 0) {
    const rest = text.slice(closeAt + tags.close.length).replace(/^\n+/, '');
    return { thought: text.slice(from, closeAt).replaceAll(/^\n+|\n+$/g, ''), rest };
  }
  // Thinking that was cut off: all of it is thinking, and there is no answer yet.
  return isOpened ? { thought: text.slice(from).replace(/^\n+/, ''), rest: '' } : { thought: undefined, rest: text };
}
