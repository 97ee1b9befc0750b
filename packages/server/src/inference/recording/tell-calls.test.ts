import type { CallRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createCallTeller } from './tell-calls.ts';

const record: CallRecord = {
  record_id: '019c0000-0000-7000-8000-000000000001',
  recorder: 'g',
  sequence: 0,
  trajectory: null,
  trajectory_id: '019c0000-1111-7000-8000-000000000002',
  at: 0,
  user: null,
  tags: [],
  consent: 'train',
  metadata: null,
  kind: 'call',
  state: 'complete',
  source: 'gateway',
  model: 'talker@1',
  messages: [],
  tools: null,
  sampling: {},
  is_stream: false,
  replies: [],
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  cost: null,
  upstream: null,
  started_at: 1_000,
  first_token_at: null,
  ended_at: 1_210,
  error: null,
};

function tell(changes: Partial<CallRecord> = {}, isTTY = true): string {
  let screen = '';
  const teller = createCallTeller({ isTTY, write: (text) => void (screen += text) });
  teller?.({ ...record, ...changes });
  return screen;
}

test('a person sees one line for each call, with what it is found by', () => {
  expect(tell()).toMatch(/^\d\d:\d\d:\d\d  recorded  talker@1  12\+3 tokens  210 ms  019c0000-1111\n$/);
  expect(tell({ trajectory: 'chat-7', usage: null, state: 'failed' })).toContain(
    'tokens unknown  210 ms  chat-7  failed',
  );
});

test('a log is not filled with them, and a name cannot move the cursor', () => {
  expect(tell({}, false)).toBe('');
  expect(tell({ trajectory: 'a\u001B[2Jb' })).toContain('a[2Jb');
});
