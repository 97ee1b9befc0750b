import { hash } from 'node:crypto';
import type { ChatMessage } from '@lachesis/protocol';
import { toCanonicalJson } from '../../events/canonical-json.ts';
import type { JsonValue } from '../../events/canonical-json.ts';

/** 96 bits in base64: by chance two conversations of a tenant never meet. */
export const PREFIX_LENGTH = 16;

/**
 * The digest of the conversation up to each message. Two conversations share a beginning where theirs are equal.
 *
 * Clients send a reply back with small changes: thinking dropped, `null` for an empty text, arguments written anew, ids
 * of calls left out. So only what the model reads as its own words decides.
 */
export function digestConversation(messages: readonly ChatMessage[], before = ''): string[] {
  let previous = before;
  return messages.map((message) => {
    previous = hash('sha256', `${previous}\n${toComparedText(message)}`, 'base64url').slice(0, PREFIX_LENGTH);
    return previous;
  });
}

/**
 * The same with the ids of calls, which tell two runs of the same words apart. As long as no message has one, they are the
 * digests themselves; `before` is what the list continues.
 */
export function digestCallIds(
  messages: readonly ChatMessage[],
  prefixes: readonly string[],
  before: { prefix: string; callPrefix: string } = { prefix: '', callPrefix: '' },
): string[] {
  let { callPrefix } = before;
  let hasIds = before.prefix !== before.callPrefix;
  return messages.map(({ tool_calls: calls, tool_call_id: answered }, index) => {
    const ids = [...(calls ?? []).map(({ id }) => id ?? ''), answered ?? ''];
    const prefix = prefixes[index]!;
    hasIds ||= ids.some((id) => id !== '');
    callPrefix = hasIds ? hash('sha256', JSON.stringify([callPrefix, prefix, ids]), 'base64url') : prefix;
    callPrefix = callPrefix.slice(0, PREFIX_LENGTH);
    return callPrefix;
  });
}

function toComparedText({ role, content, tool_calls: calls }: ChatMessage): string {
  const parts = [role, toComparedContent(content)];
  for (const { function: called } of calls ?? []) parts.push(called.name, toComparedArguments(called.arguments));
  return parts.length === 2 ? `${parts[0]!.length} ${role}${parts[1]}` : JSON.stringify(parts);
}

function toComparedContent(content: ChatMessage['content']): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content.trim();
  return content
    .map((part) => {
      if (typeof part['text'] === 'string') return part['text'];
      // A provider's cache mark moves from message to message between calls.
      const { cache_control: _mark, ...rest } = part;
      return toCanonicalJson(rest as JsonValue);
    })
    .join('\n')
    .trim();
}

function toComparedArguments(text: string): string {
  try {
    return toCanonicalJson(JSON.parse(text) as JsonValue);
  } catch {
    // A model that writes broken JSON is recorded as it wrote.
    return text;
  }
}
