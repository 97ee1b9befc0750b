import { makeConversation, type ChatMessage } from '@lachesis/protocol';
import type { Tokenizer } from '@lachesis/sdk/render';
import { expect, test } from 'vitest';
import { isSkipped } from '../records/render-sequence.ts';
import { wholeOf } from '../records/to-datum.ts';
import { rerollPreferred, type RerollOptions } from './reroll-preferred.ts';
import { toPairExample } from './to-pair-example.ts';

const record = makeConversation({
  id: 't/0',
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'bad' },
  ],
  tokens: { token_ids: [1, 2, 3, 8, 9], mask: [0, 0, 0, 1, 1], logprobs: null },
  rating: 0,
});

/** A reply is as good as its first token, in tenths. */
const options = (changes: Partial<RerollOptions> = {}): RerollOptions => ({
  record,
  samples: 3,
  minGap: 0.3,
  sample: async (_prefix, index) =>
    Int32Array.from(
      [
        [2, 9],
        [7, 9],
        [9, 9],
      ][index]!,
    ),
  read: async (tokens): Promise<ChatMessage> => ({ role: 'assistant', content: `tokens ${tokens.join(' ')}` }),
  score: async (_prompt, { content }) => (content === 'bad' ? 0.1 : Number((content as string).split(' ')[1]) / 10),
  ...changes,
});

test('takes the first new reply that is better by the gap, from the tokens the disliked one was sampled from', async () => {
  const prefixes: Int32Array[] = [];
  const { sample } = options();
  const pair = await rerollPreferred(
    options({ sample: (prefix, index) => (prefixes.push(prefix), sample(prefix, index)) }),
  );
  expect(prefixes).toEqual([Int32Array.from([1, 2, 3]), Int32Array.from([1, 2, 3])]);
  if (isSkipped(pair)) throw new Error(pair.skipped);
  expect(pair).toMatchObject({ id: 'reroll/t/0', chosen: [{ content: 'tokens 7 9' }], rejected: [{ content: 'bad' }] });
  const example = await toPairExample(pair, { tokenizer: {} as Tokenizer, maxTokens: 10 });
  if (isSkipped(example)) throw new Error(example.skipped);
  expect(example.datums.map((datum) => [...wholeOf(datum)])).toEqual([
    [1, 2, 3, 7, 9],
    [1, 2, 3, 8, 9],
  ]);
});

test('makes no pair of what is not better, cannot be scored, or was not sampled here', async () => {
  expect(await rerollPreferred(options({ minGap: 0.9 }))).toEqual({
    skipped: 'none of 3 new replies is better by 0.9',
  });
  expect(await rerollPreferred(options({ score: async () => undefined }))).toEqual({
    skipped: 'the disliked reply could not be scored',
  });
  expect(await rerollPreferred(options({ record: { ...record, tokens: null } }))).toHaveProperty('skipped');
  expect(await rerollPreferred(options({ read: async () => undefined }))).toHaveProperty('skipped');
});
