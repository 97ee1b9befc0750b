import { createHash } from 'node:crypto';
import type { CallRecord, CaptureRecord, ChatMessage, Consent, OfferedTool } from '@lachesis/protocol';

/** A whole conversation that no recorded client made: a row of a batch, of a file. */
export interface RecordedConversation {
  /** Its key in the library; the same one again is the same trajectory. */
  key: string;
  /** `batch:nightly`, `import:week.jsonl`. */
  source: string;
  messages: readonly ChatMessage[];
  tools: readonly OfferedTool[] | null;
  model: string | null;
  /** Milliseconds since 1970. */
  at: number;
  consent: Consent;
  tags?: readonly string[];
  usage?: CallRecord['usage'];
  cost?: number | null;
  /** Why there is no reply; such a conversation has failed. */
  error?: string | undefined;
  reward?: number | null;
  reason?: string | null;
}

/**
 * The records that make a trajectory of a conversation, through the same way in as those of an application. Their ids come
 * from the key and what was said, so that sending them again changes nothing.
 */
export function toCaptureRecords(conversation: RecordedConversation): CaptureRecord[] {
  const { key, source, messages, tools, at, usage = null, cost = null, error, reward = null } = conversation;
  const last = messages.at(-1);
  const isAnswered = last?.role === 'assistant';
  const asked = isAnswered ? messages.slice(0, -1) : [...messages];
  const envelope = (sequence: number) => ({
    record_id: nameRecord([key, sequence, messages.length, conversation.reason, error]),
    ...{ recorder: key, sequence, trajectory: key, at, user: null, tags: [...(conversation.tags ?? [])] },
    ...{ consent: conversation.consent, metadata: null },
  });
  const offered = tools === null ? null : [...tools];
  const { model } = conversation;
  const records: CaptureRecord[] = [];
  // Calls of tools before the last reply are counted where an application wrote the messages itself.
  if (model !== null && asked.some(({ role }) => role === 'assistant'))
    records.push({ ...envelope(0), kind: 'messages', source, model, messages: [...asked], tools: offered });
  if (model !== null && (isAnswered || error !== undefined))
    records.push({
      ...envelope(records.length),
      ...{ kind: 'call', state: error === undefined ? 'complete' : 'failed', source, model, messages: asked },
      ...{ tools: offered, sampling: {}, is_stream: false, usage, cost, upstream: null },
      replies: isAnswered
        ? [{ message: last, finish_reason: 'stop', tokens: null, tokens_missing: 'recorded-as-text' }]
        : [],
      ...{ started_at: at, first_token_at: null, ended_at: at },
      error: error === undefined ? null : { message: error, status: null },
    });
  if (records.length === 0)
    records.push({ ...envelope(0), kind: 'messages', source, model, messages: [...messages], tools: offered });
  const ended = error !== undefined ? 'failed' : reward === null ? 'finished' : 'scored';
  const reason = conversation.reason ?? error ?? null;
  records.push({ ...envelope(records.length), kind: 'end', outcome: ended, reward, reason });
  return records;
}

/** A UUID (version 8: one's own digits) of what a record is about. */
function nameRecord(parts: readonly unknown[]): string {
  const digits = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => digits.slice(from, to));
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
