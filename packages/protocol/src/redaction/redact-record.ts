import type { CallRecord, CaptureRecord } from '../trajectory/capture.ts';
import type { Redactor } from './create-redactor.ts';
import { redact, type Redacted, type RedactOptions } from './redact.ts';

/**
 * Takes secrets out of a record before it is written anywhere. Token ids spell the text they stand for: those of a reply
 * or a prompt that held a secret go with it, and the reason is kept.
 */
export function redactRecord<R extends CaptureRecord>(
  record: R,
  redactor: Redactor,
  options: RedactOptions = {},
): Redacted<R> {
  const { record_id, recorder, kind, trajectory_id, response_id, ...rest } = record as R & {
    response_id?: string | null;
  };
  // An id looks random, and is no secret; one that holds a secret names nothing.
  const isClean = typeof response_id !== 'string' || redactor.redactId(response_id).found === 0;
  const ids = {
    ...(trajectory_id === undefined ? {} : { trajectory_id }),
    ...(response_id === undefined || !isClean ? {} : { response_id }),
  };
  const { value: kept, found, withheld } = redact(rest, redactor, options);
  if (found === 0 && withheld === 0 && isClean) return { value: record, found, withheld };
  const value = { record_id, recorder, kind, ...ids, ...kept, ...sayWithheld(kept, withheld) } as unknown as R;
  if (value.kind !== 'call' || record.kind !== 'call') return { value, found, withheld };
  return { value: { ...value, replies: withoutSpelledSecrets(record, value) }, found, withheld };
}

/** Under this name of its metadata a record says how many of its texts were withheld. */
export const WITHHELD_FIELD = 'withheld_texts';

const sayWithheld = ({ metadata }: Pick<CaptureRecord, 'metadata'>, withheld: number): Partial<CaptureRecord> =>
  withheld === 0 ? {} : { metadata: { ...metadata, [WITHHELD_FIELD]: withheld } };

function withoutSpelledSecrets(before: CallRecord, after: CallRecord): CallRecord['replies'] {
  const isPromptChanged = before.messages !== after.messages || before.tools !== after.tools;
  return after.replies.map((reply, index) => {
    if (reply.tokens === null) return reply;
    if (reply.message !== before.replies[index]?.message) return { ...reply, tokens: null, tokens_missing: 'redacted' };
    return isPromptChanged ? { ...reply, tokens: { ...reply.tokens, prompt_token_ids: null } } : reply;
  });
}
