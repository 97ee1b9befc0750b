import type { CaptureRecord } from '@lachesis/protocol';
import { expect, it } from 'vitest';
import { restrictRecord } from './restrict-record.ts';

const envelope = {
  record_id: '0197a8f2-0000-7000-8000-000000000001',
  recorder: 'app',
  sequence: 0,
  trajectory: 'alice-1',
  at: 1_700_000_000_000,
  user: null,
  tags: [],
  consent: 'train',
  metadata: null,
} as const;
const call: CaptureRecord & { kind: 'call' } = {
  ...envelope,
  tags: [],
  kind: 'call',
  state: 'complete',
  source: 'openai',
  model: 'small',
  messages: [],
  tools: null,
  sampling: {},
  is_stream: false,
  replies: [],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  cost: 0.5,
  upstream: null,
  started_at: 1,
  first_token_at: null,
  ended_at: 2,
  error: null,
};
const end: CaptureRecord = { ...envelope, tags: [], kind: 'end', outcome: 'scored', reward: 1, reason: null };

it('takes what an ordinary recorder sends, as it is', () => {
  expect(restrictRecord(call, 0)).toEqual(call);
  expect(restrictRecord(end, 0)).toEqual(end);
});

it.each([
  ['cost', { ...call, cost: -1_000_000 }],
  ['cost', { ...call, cost: 1e300 }],
  ['usage.prompt_tokens', { ...call, usage: { prompt_tokens: -1, completion_tokens: 0, total_tokens: 0 } }],
  ['usage.total_tokens', { ...call, usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1e15 } }],
  ['reward', { ...end, reward: 1e300 }],
  ['at', { ...end, at: -1 }],
  ['ended_at', { ...call, ended_at: 9e15 }],
  ['source', { ...call, source: 'gateway' }],
] as [string, CaptureRecord][])('names the field and the record: %s', (field, record) => {
  expect(() => restrictRecord(record, 7)).toThrow(`record 7 cannot be kept: ${field} `);
});

it('leaves out what lineage is made of, and nothing else', () => {
  const metadata = { model_version_id: 'm', run_id: 'r', split: 'test', own: { a: 1 } };
  expect(restrictRecord({ ...call, metadata }, 0).metadata).toEqual({ split: 'test', own: { a: 1 } });
});
