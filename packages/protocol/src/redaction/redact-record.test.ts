import { expect, test } from 'vitest';

import type { CallRecord } from '../trajectory/capture.ts';
import { callRecordSchema } from '../trajectory/capture.ts';
import { createRedactor } from './create-redactor.ts';
import { redactRecord } from './redact-record.ts';
import { withholdRecord } from './withhold-record.ts';

const redactor = createRedactor({ secrets: ['the-secret-1'] });

function call(prompt: string, reply: string): CallRecord {
  return callRecordSchema.parse({
    ...{ record_id: '0192f3a1-7c1e-7b1a-9d3e-1f2a3b4c5d6e', recorder: 'app', sequence: 0, trajectory: null, at: 1 },
    ...{ user: null, tags: [], consent: 'train', metadata: null, kind: 'call', state: 'complete', source: 'openai' },
    ...{
      model: 'm',
      tools: null,
      sampling: {},
      is_stream: false,
      usage: null,
      cost: null,
      upstream: null,
      error: null,
    },
    ...{ started_at: 1, first_token_at: null, ended_at: 2 },
    messages: [{ role: 'user', content: prompt }],
    replies: [
      {
        message: { role: 'assistant', content: reply },
        finish_reason: 'stop',
        tokens: { prompt_token_ids: [1], token_ids: [2], logprobs: [-1], policy_version: 3 },
        tokens_missing: null,
      },
    ],
  });
}

test('a record without a secret stays the same object', () => {
  const record = call('hello', 'hi');
  expect(redactRecord(record, redactor)).toEqual({ value: record, found: 0, withheld: 0 });
  expect(redactRecord(record, redactor).value).toBe(record);
});

test('tokens that spell a secret of the reply go with it, and the reason is kept', () => {
  const { value, found } = redactRecord(call('hello', 'it is the-secret-1'), redactor);
  expect(found).toBe(1);
  expect(value.replies[0]).toMatchObject({ tokens: null, tokens_missing: 'redacted' });
  expect(callRecordSchema.safeParse(value).success).toBe(true);
  expect(JSON.stringify(value)).not.toContain('the-secret-1');
});

test('a secret in the prompt takes the tokens of the prompt, and leaves those of the reply', () => {
  const { value } = redactRecord(call('use the-secret-1', 'done'), redactor);
  expect(value.replies[0]?.tokens).toEqual({
    prompt_token_ids: null,
    token_ids: [2],
    logprobs: [-1],
    policy_version: 3,
  });
});

test('what cannot be checked in time is withheld, short texts are checked, and the record says so', () => {
  let time = 0;
  const long = `${'word '.repeat(40)} the-secret-1`;
  const { value, withheld } = redactRecord(call(long, 'the-secret-1 in short'), redactor, {
    budgetMs: 5,
    now: () => (time += 10),
  });
  expect(withheld).toBe(1);
  expect(value.messages[0]?.content).toBe('[withheld:not-checked-in-time]');
  expect(value.replies[0]?.message.content).toBe('[redacted:secret] in short');
  expect(value.metadata).toEqual({ withheld_texts: 1 });
  expect(value.replies[0]).toMatchObject({ tokens: null, tokens_missing: 'redacted' });
  expect(callRecordSchema.safeParse(value).success).toBe(true);
});

test('a record of which nothing was checked keeps its shape and no text', () => {
  const record = {
    ...call('use the-secret-1', 'the-secret-1'),
    metadata: { a: 'the-secret-1' },
    tags: ['the-secret-1'],
  };
  const kept = withholdRecord(record);
  expect(callRecordSchema.safeParse(kept).success).toBe(true);
  expect(JSON.stringify(kept)).not.toContain('the-secret-1');
  expect(kept).toMatchObject({ record_id: record.record_id, metadata: { withheld_texts: 2 } });
});
