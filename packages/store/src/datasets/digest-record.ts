import { hash } from 'node:crypto';
import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { JsonValue } from '../events/canonical-json.ts';

/** Two digests of a row: of everything it says, and of what was asked before the first answer. */
export interface RecordDigests {
  whole: string;
  /** The same question under another system prompt has the same one. */
  prompt: string;
}

/** Roles, texts and tool calls decide; ids, tags, weights and rewards do not. */
export function digestRecord(record: DataRecord): RecordDigests {
  const parts = record.kind === 'conversation' ? [record.messages] : [record.prompt, record.chosen, record.rejected];
  const whole = digest(['whole', ...parts.map((messages) => messages.map((message) => toPlain(message)))]);
  const messages = record.kind === 'conversation' ? record.messages : record.prompt;
  const end = messages.findIndex(({ role }) => role === 'assistant');
  const asked = (end < 0 ? messages : messages.slice(0, end)).filter(({ role }) => role !== 'system');
  return { whole, prompt: asked.length === 0 ? whole : digest(['prompt', asked.map((message) => toPlain(message))]) };
}

function toPlain({ role, content, tool_calls: calls }: ChatMessage): JsonValue {
  const text =
    typeof content === 'string'
      ? content.trim()
      : (content ?? []).map((part) => (typeof part['text'] === 'string' ? part['text'] : (part as JsonValue)));
  // One text part is the same as the text.
  const plain = Array.isArray(text) && text.length === 1 && typeof text[0] === 'string' ? text[0].trim() : text;
  return [role, plain, (calls ?? []).map(({ function: called }) => [called.name, called.arguments])] as JsonValue;
}

function digest(value: JsonValue): string {
  return hash('sha256', toCanonicalJson(value), 'hex');
}
