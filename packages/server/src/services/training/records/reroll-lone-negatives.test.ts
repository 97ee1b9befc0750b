import { makeConversation, type DatasetVersion } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { expect, test } from 'vitest';
import { rerollLoneNegatives, type RerollLoneNegativesOptions } from './reroll-lone-negatives.ts';

type Options = RerollLoneNegativesOptions;

const rows = [1, 2, 3].map((id) =>
  makeConversation({
    id: String(id),
    messages: [
      { role: 'user', content: `question ${id}` },
      { role: 'assistant', content: 'bad' },
    ],
    tokens: { token_ids: [id, 8, 9], mask: [0, 1, 1], logprobs: null },
    rating: 0,
  }),
);
const dataset = { name: 'rated', version: 2, is_held_out: false } as DatasetVersion;

/** A library with one set of disliked replies, which notes what is asked of it; and a reply for each prompt. */
function open(sample: Options['sample']) {
  const asked: string[] = [];
  const library: Options['library'] = {
    readDataset: async () => dataset,
    async *readDatasetRows(ref) {
      asked.push(ref);
      yield* rows;
      asked.push('read to its end');
    },
    async importDataset(name, { rows: pairs, source }) {
      const read = [];
      for await (const pair of pairs) read.push(pair.id);
      asked.push(`${name}: ${read.join()} (${source})`);
      return { dataset: { ...dataset, name, row_count: read.length }, dropped: [], redacted: 0 };
    },
  };
  const options: Options = {
    ...{ library, sample, from: 'rated', name: 'pairs' },
    score: async (_, { content }) => (content === 'bad' ? 0 : 1),
  };
  return { asked, reroll: () => rerollLoneNegatives(options) };
}

const reply = { tokens: [7], reply: { role: 'assistant' as const, content: 'good' } };
const cut = (retryable: boolean) =>
  new ClientError({ code: 'connection', call: 'POST /models/sample', reason: 'it broke off', retryable });

test('a round that broke off is asked for again, without what was answered; the rows of one version are read before', async () => {
  const rounds: number[][] = [];
  const { asked, reroll } = open(async function* (prompts) {
    asked.push('sample');
    rounds.push(prompts.map(({ tokens }) => tokens[0] ?? 0));
    yield reply;
    if (prompts.length > 1) throw cut(true);
  });
  expect(await reroll()).toMatchObject({ pairs: 3, skipped: {} });
  expect(rounds).toEqual([[1, 2, 3], [2, 3], [3]]);
  expect(asked).toEqual([
    ...['rated@2', 'read to its end', 'sample', 'sample', 'sample'],
    'pairs: reroll/1,reroll/2,reroll/3 (reroll of rated@2 by the base model)',
  ]);
});

test.each([
  [true, 5],
  [false, 1],
])('an engine that stays away ends it: worth another try %s, %i calls', async (retryable, calls) => {
  let made = 0;
  const { reroll } = open(async function* () {
    made += 1;
    yield* [];
    throw cut(retryable);
  });
  await expect(reroll()).rejects.toThrow('it broke off');
  expect(made).toBe(calls);
});
