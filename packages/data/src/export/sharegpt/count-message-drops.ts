import type { ChatMessage } from '@lachesis/protocol';
import type { DropReport } from '../../records/drop-report.ts';
import { reasoningOf } from '../../records/message-parts.ts';
import { isBlank, stripEnd } from '../../records/python/python-space.ts';

const KEPT = new Set(['role', 'content', 'reasoning_content', 'tool_calls', 'tool_call_id']);
const TAGS = /<\/?(?:think|tool_call|tool_response|REASONING_SCRATCHPAD)>/;
const LIST = 'parts of a message become text, and images a note';

/** What of a message does not come back from the ShareGPT form. */
export function countMessageDrops(message: ChatMessage, drops: DropReport): void {
  for (const [key, value] of Object.entries(message)) {
    if (!KEPT.has(key) && value !== undefined && value !== null)
      drops.add(`messages.${key}`, 'the format has no place for it');
  }
  if (Array.isArray(message.content)) drops.add('messages.content', LIST);
  if (message.role === 'user' && typeof message.content !== 'string')
    drops.add('messages.content', 'an absent content is written as empty');
  if (message.role === 'assistant') countReplyDrops(message, drops);
}

function countReplyDrops(message: ChatMessage, drops: DropReport): void {
  const reasoning = reasoningOf(message);
  const content = typeof message.content === 'string' ? message.content : '';
  if (message.reasoning_content === undefined && reasoning !== null) {
    // Counted under its own name above; it comes back as `reasoning_content`.
  } else if (reasoning !== null && isBlank(reasoning))
    drops.add('messages.reasoning_content', 'blank thinking is left out');
  if (TAGS.test(content) || (reasoning !== null && TAGS.test(reasoning)))
    drops.add('messages.content', 'text that looks like a tag of the format is read as one');
  const hasCalls = (message.tool_calls?.length ?? 0) > 0;
  if (hasCalls ? content !== '' && isBlank(content) : stripEnd(content) !== content)
    drops.add('messages.content', 'space at the end of a reply is cut');
  if (message.content === '' ? hasCalls : !hasCalls && content === '' && message.content !== '')
    drops.add('messages.content', 'an absent content is not told from an empty one');
  if (message.tool_calls?.length === 0) drops.add('messages.tool_calls', 'an empty list is not told from none');
  for (const call of message.tool_calls ?? []) {
    const hasMore = Object.keys(call).some((key) => key !== 'id' && key !== 'type' && key !== 'function');
    if (hasMore || (call.type ?? 'function') !== 'function' || Object.keys(call.function).length > 2)
      drops.add('messages.tool_calls', 'of a call the name and the arguments are kept');
  }
}
