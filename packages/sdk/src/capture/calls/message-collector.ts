import { type ChatMessage, isRecord } from '@lachesis/protocol';
import type { JsonFields } from './json-shapes.ts';
import { createCallCollector } from './tool-call-collector.ts';
import { toReplyMessage } from './to-reply-message.ts';

/** Fields that come in pieces of text. */
const TEXTS = new Set(['content', 'reasoning_content', 'reasoning', 'refusal']);

export interface MessageCollector {
  add(delta: JsonFields): void;
  message(): ChatMessage;
}

/** Puts a message together that arrives as deltas. */
export function createMessageCollector(): MessageCollector {
  const fields: Record<string, unknown> = { role: 'assistant', content: null };
  const calls = createCallCollector();
  return {
    add(delta) {
      for (const [name, value] of Object.entries(delta)) {
        if (value === null || value === undefined) continue;
        if (name === 'tool_calls') calls.add(value);
        // Some servers repeat the role as an empty text.
        else if (name !== 'role' || value !== '') fields[name] = join(name, fields[name], value);
      }
    },
    message() {
      const made = calls.calls();
      return toReplyMessage({ ...fields, ...(made.length === 0 ? {} : { tool_calls: made }) });
    },
  };
}

function join(name: string, known: unknown, value: unknown): unknown {
  if (known === undefined || known === null) return value;
  if (TEXTS.has(name) && typeof known === 'string' && typeof value === 'string') return known + value;
  if (name === 'content' && (Array.isArray(known) || Array.isArray(value)))
    return [...toParts(known), ...toParts(value)];
  if (Array.isArray(known) && Array.isArray(value)) return [...(known as unknown[]), ...(value as unknown[])];
  // What calls were before they had ids: one, in pieces.
  if (name === 'function_call' && isRecord(known) && isRecord(value)) {
    const [before, more] = [known['arguments'], value['arguments']];
    const isText = typeof before === 'string' && typeof more === 'string';
    return { ...known, ...value, arguments: isText ? before + more : (more ?? before) };
  }
  return value;
}

/** Content that is a text in one piece and a list of parts in the next. */
function toParts(content: unknown): unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return content === '' ? [] : [{ type: 'text', text: content }];
}
