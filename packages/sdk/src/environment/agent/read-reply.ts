import type { ChatMessage, ChatToolCall, ToolCallFormat } from '@lachesis/protocol';
import type { Tool } from '../../render/messages/message.ts';
import { parseReplyText } from '../../render/messages/parse-reply-text.ts';
import type { Completion } from '../policy/policy.ts';
import { textOf } from '../policy/read-completions.ts';

export interface AgentReply {
  readonly message: ChatMessage;
  /** Why a call in it could not be read; none of it was run. */
  readonly malformedCalls: readonly string[];
}

/** As nearly all models write it; a call inside is none. */
const THINKING = { open: '<think>', close: '</think>' } as const;

/**
 * The message of a reply, with its calls. A server that reads calls leaves in the text what it could not read, and one that does
 * not leaves all of them, so the text is looked through in both cases.
 */
export function readReply(
  { message, text }: Completion,
  { format, tools }: { format: ToolCallFormat; tools: readonly Tool[] },
): AgentReply {
  const given = message.tool_calls ?? [];
  const read = parseReplyText({ text, toolFormat: format, reasoning: THINKING, tools });
  const malformedCalls = read.malformedCalls.map(({ reason }) => reason);
  const calls = read.message.tool_calls ?? [];
  if (given.length > 0 || calls.length === 0) return { message: withCalls(message, given), malformedCalls };
  const { content, reasoning_content: reasoning } = read.message;
  // Some templates print a call only where there is no content.
  const parted = {
    ...message,
    content: content === '' ? null : content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  };
  return { message: withCalls(parted, calls), malformedCalls };
}

function withCalls(message: ChatMessage, calls: readonly ChatToolCall[]): ChatMessage {
  const { tool_calls: _given, tool_call_id: _answered, content, ...rest } = message;
  return {
    ...rest,
    content: typeof content === 'string' || content === null ? content : textOf(content),
    ...(calls.length === 0 ? {} : { tool_calls: [...calls] }),
  };
}
