import type { CaptureRecord } from '../trajectory/capture.ts';
import type { ChatMessage } from '../chat/message.ts';
import { WITHHELD_FIELD } from './redact-record.ts';
import { WITHHELD_MARK } from './span.ts';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/**
 * A record of which nothing could be checked in time: its shape, its times and its numbers, and a mark in the place of
 * every text. It counts as recorded, and says what it lacks.
 */
export function withholdRecord(record: CaptureRecord): CaptureRecord {
  const labels = {
    trajectory: null,
    user: null,
    tags: [],
    metadata: { [WITHHELD_FIELD]: countTexts(record) },
  };
  if (record.kind === 'end') return { ...record, ...labels, reason: record.reason === null ? null : WITHHELD_MARK };
  const messages = record.messages.map(withholdMessage);
  const source = WITHHELD_MARK;
  if (record.kind === 'messages') return { ...record, ...labels, source, model: null, messages, tools: null };
  return {
    ...record,
    ...labels,
    source,
    messages,
    model: WITHHELD_MARK,
    tools: null,
    sampling: {},
    upstream: null,
    error: record.error === null ? null : { message: WITHHELD_MARK, status: record.error.status },
    replies: record.replies.map(({ message }) => ({
      message: withholdMessage(message),
      finish_reason: null,
      tokens: null,
      tokens_missing: 'redacted',
    })),
  };
}

const withholdMessage = ({ role }: ChatMessage): ChatMessage => ({
  role: ROLES.has(role) ? role : 'user',
  content: WITHHELD_MARK,
});

const countTexts = (record: CaptureRecord): number =>
  record.kind === 'end' ? 1 : record.messages.length + (record.kind === 'call' ? record.replies.length : 0);
