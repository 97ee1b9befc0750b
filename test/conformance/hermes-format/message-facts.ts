import type { ChatMessage } from '@lachesis/protocol';

/** What of a message has to survive every format: who says what, what was thought, which calls, which answers. */
export function factsOf(messages: readonly ChatMessage[]): unknown[] {
  return messages.map((message) => {
    const thought = message.reasoning_content ?? message['reasoning'];
    const calls = (message.tool_calls ?? []).map(({ id, function: call }) => [id, call.name, readJson(call.arguments)]);
    return {
      role: message.role,
      content: message.role === 'assistant' ? readText(message).trimEnd() : readJson(message.content),
      thought: typeof thought === 'string' && thought.trim() !== '' ? thought : null,
      calls,
      answers: message.role === 'tool' ? message.tool_call_id : null,
    };
  });
}

const readText = ({ content }: ChatMessage): string => (typeof content === 'string' ? content : '');

/** JSON is compared as what it says; its spacing is not kept by ShareGPT. Text that is none stays text. */
function readJson(content: unknown): unknown {
  if (typeof content !== 'string' || !/^\s*[{[]/.test(content)) return content ?? null;
  try {
    // Python reads and writes these words, and writes one of them for a number that is too big.
    return JSON.parse(content.replaceAll(/-?Infinity|NaN/g, 'null')) as unknown;
  } catch {
    // It only looked like JSON.
    return content;
  }
}
