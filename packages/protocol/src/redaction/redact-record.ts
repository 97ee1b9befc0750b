import type { CallRecord, CaptureRecord } from '../trajectory/capture.ts';
import type { Redactor } from './create-redactor.ts';
import { redact, type Redacted } from './redact.ts';

/**
 * Takes secrets out of a record before it is written anywhere. Token ids spell the text they stand for: those of a reply
 * or a prompt that held a secret go with it, and the reason is kept.
 */
export function redactRecord<R extends CaptureRecord>(record: R, redactor: Redactor): Redacted<R> {
  const { record_id, recorder, kind, ...rest } = record;
  const whole = redact(rest, redactor);
  if (whole.found === 0) return { value: record, found: 0 };
  const value = { record_id, recorder, kind, ...whole.value } as unknown as R;
  if (value.kind !== 'call' || record.kind !== 'call') return { value, found: whole.found };
  return { value: { ...value, replies: withoutSpelledSecrets(record, value) }, found: whole.found };
}

function withoutSpelledSecrets(before: CallRecord, after: CallRecord): CallRecord['replies'] {
  const isPromptChanged = before.messages !== after.messages || before.tools !== after.tools;
  return after.replies.map((reply, index) => {
    if (reply.tokens === null) return reply;
    if (reply.message !== before.replies[index]?.message) return { ...reply, tokens: null, tokens_missing: 'redacted' };
    return isPromptChanged ? { ...reply, tokens: { ...reply.tokens, prompt_token_ids: null } } : reply;
  });
}
