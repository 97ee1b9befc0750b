import type { CallRecord, CaptureRecord } from '@lachesis/protocol';
import { createIdSource } from '@lachesis/protocol';
import type { CallDraft } from './recorder/record-draft.ts';

const ids = createIdSource();

/** A call as a recorder is told of it. */
export function callDraft(changes: Partial<CallDraft> = {}): CallDraft {
  return {
    ...{ kind: 'call', state: 'complete', source: 'test', model: 'm', tools: null, sampling: {}, is_stream: false },
    messages: [{ role: 'user', content: 'hello' }],
    replies: [
      {
        message: { role: 'assistant', content: 'hi' },
        ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
      },
    ],
    ...{ usage: null, cost: null, upstream: null, started_at: 1, first_token_at: null, ended_at: 2, error: null },
    ...changes,
  };
}

export function callRecord(sequence: number, changes: Partial<CallRecord> = {}): CaptureRecord {
  return {
    ...(callDraft() as CallRecord),
    ...{ record_id: ids.next(), recorder: 'app', sequence, trajectory: null, at: 1, user: null, tags: [] },
    ...{ consent: 'train', metadata: null },
    ...changes,
  };
}
