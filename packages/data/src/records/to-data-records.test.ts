import type { CallTokens } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { makeTrajectory, reply, user } from './recorded-trajectory.fixture.ts';
import { toDataRecords } from './to-data-records.ts';

const tokens = (prompt: number[] | null, ids: number[]): CallTokens => ({
  prompt_token_ids: prompt,
  token_ids: ids,
  logprobs: ids.map((id) => -id / 10),
  policy_version: 1,
});

test('turns that continue one another are one conversation and one row of tokens', () => {
  const [record, ...others] = toDataRecords(
    makeTrajectory([
      { messages: [user('a')], tokens: [tokens([1, 2], [3, 4])] },
      { messages: [user('b')], tokens: [tokens([1, 2, 3, 4, 5], [6])] },
    ]),
  );
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    id: 't/1',
    trajectory_id: 't',
    messages: [user('a'), reply('reply 0'), user('b'), reply('reply 1')],
    tokens: { token_ids: [1, 2, 3, 4, 5, 6], mask: [0, 0, 1, 1, 0, 1], logprobs: [0, 0, -0.3, -0.4, 0, -0.6] },
  });
});

test('a fork gives two conversations that share their beginning', () => {
  const records = toDataRecords(
    makeTrajectory([
      { messages: [user('a')] },
      { messages: [user('b')] },
      { parent: 0, kept: 2, messages: [user('other b')] },
    ]),
  );
  expect(records.map(({ id, messages }) => [id, messages.map(({ content }) => content)])).toEqual([
    ['t/1', ['a', 'reply 0', 'b', 'reply 1']],
    ['t/2', ['a', 'reply 0', 'other b', 'reply 2']],
  ]);
});

test('another try at the same question leaves both answers', () => {
  const records = toDataRecords(
    makeTrajectory([{ messages: [user('a')] }, { parent: 0, kept: 1, messages: [], replies: [reply('again')] }]),
  );
  expect(records.map(({ messages }) => messages.at(-1)?.content)).toEqual(['reply 0', 'again']);
});

test('several replies to one prompt are several conversations, the continued one once', () => {
  const records = toDataRecords(
    makeTrajectory([{ messages: [user('a')], replies: [reply('x'), reply('y')] }, { messages: [user('b')] }]),
  );
  expect(records.map(({ id, messages }) => [id, messages.map(({ content }) => content)])).toEqual([
    ['t/0/1', ['a', 'y']],
    ['t/1', ['a', 'x', 'b', 'reply 1']],
  ]);
  expect(
    toDataRecords(makeTrajectory([{ messages: [user('a')], replies: [reply('x'), reply('y')] }]), {
      withOtherReplies: false,
    }),
  ).toHaveLength(1);
});

test('a prompt that does not begin with the tokens before it gives no row, and says where', () => {
  const [record] = toDataRecords(
    makeTrajectory([
      { messages: [user('a')], tokens: [tokens([1, 2], [3, 4])] },
      { messages: [user('b')], tokens: [tokens([1, 2, 3, 9, 5], [6])] },
    ]),
  );
  expect(record).toMatchObject({
    tokens: null,
    extra: { lachesis: { tokens_missing: 'prefix-break', tokens_missing_at: 1 } },
  });
});

test('a reply without tokens gives its reason', () => {
  const [record] = toDataRecords(makeTrajectory([{ messages: [user('a')] }]));
  expect(record?.extra).toMatchObject({ lachesis: { tokens_missing: 'backend-returns-none' } });
  expect(
    toDataRecords(makeTrajectory([{ messages: [user('a')], tokens: [tokens(null, [1])] }]))[0]?.extra,
  ).toMatchObject({
    lachesis: { tokens_missing: 'no-prompt-tokens' },
  });
});

test('a call that failed is no conversation, tried again or not', () => {
  const failed = { messages: [user('a')], replies: [], state: 'failed' } as const;
  const retried = toDataRecords(makeTrajectory([failed, { parent: null, kept: 0, messages: [user('a')] }]));
  expect(retried.map(({ id, completed }) => [id, completed])).toEqual([['t/1', true]]);
  expect(toDataRecords(makeTrajectory([failed]))).toEqual([]);
  expect(toDataRecords(makeTrajectory([{ ...failed, state: 'interrupted' }]))).toEqual([]);
});

test('a conversation whose last call failed ends with the reply before it', () => {
  const failed = { messages: [user('and?')], replies: [], state: 'failed' } as const;
  const records = toDataRecords(makeTrajectory([{ messages: [user('a')] }, failed]));
  expect(records.map(({ id, messages }) => [id, messages.at(-1)?.role])).toEqual([['t/0', 'assistant']]);
  const triedAgain = toDataRecords(makeTrajectory([{ messages: [user('a')] }, failed, { messages: [] }]));
  expect(triedAgain.map(({ id, messages }) => [id, messages.length])).toEqual([['t/2', 4]]);
});
