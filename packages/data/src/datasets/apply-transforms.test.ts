import type { ConversationRecord, DataRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { sampleConversation, samplePreference } from '../export/parquet/sample-records.fixture.ts';
import { createDropReport } from '../records/drop-report.ts';
import { applyTransforms } from './apply-transforms.ts';
import { transformSchema, type TransformInput } from './transform.ts';

async function apply(records: DataRecord[], ...transforms: TransformInput[]) {
  const drops = createDropReport();
  const parsed = transforms.map((transform) => transformSchema.parse(transform));
  const rows = await Array.fromAsync(applyTransforms(records, { transforms: parsed, drops }));
  return { rows, drops: drops.list() };
}

const ask = (id: string, question: string, changes: Partial<ConversationRecord> = {}): ConversationRecord =>
  sampleConversation({
    id,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: `about ${id}` },
    ],
    ...changes,
  });

test('dedupe keeps the first of rows that say, or ask, the same', async () => {
  const records = [ask('a', 'x'), ask('b', 'x'), { ...ask('a', 'x'), id: 'c' }];
  expect((await apply(records, { kind: 'dedupe' })).rows.map(({ id }) => id)).toEqual(['a', 'b']);
  const { rows, drops } = await apply(records, { kind: 'dedupe', by: 'prompt' });
  expect(rows.map(({ id }) => id)).toEqual(['a']);
  expect(drops).toEqual([{ field: 'row', count: 2, reason: 'another row has the same prompt' }]);
});

test('split puts the same prompt into the same split, in any order and company', async () => {
  const records = Array.from({ length: 1_000 }, (_unused, index) => ask(`r${index}`, `question ${index % 500}`));
  const split: TransformInput = { kind: 'split', seed: 'one', shares: { train: 9, test: 1 } };
  const all = (await apply(records, split)).rows;
  const test = all.filter((row) => row.split === 'test').length;
  expect(test).toBeGreaterThan(50);
  expect(test).toBeLessThan(150);
  const splits = new Map(all.map(({ id, split: name }) => [id, name]));
  for (const [index, { id }] of records.entries()) expect(splits.get(id)).toBe(splits.get(`r${index % 500}`));
  const some = (await apply(records.slice(700).reverse(), split)).rows;
  for (const row of some) expect(row.split).toBe(splits.get(row.id));
  const other = (await apply(records, { ...split, seed: 'two' })).rows;
  expect(other.some((row) => row.split !== splits.get(row.id))).toBe(true);
});

test('cap counts rows, rows of a prompt and rows of a model', async () => {
  const records = [
    ask('a', 'x', { model: 'm' }),
    ask('b', 'x', { model: 'm' }),
    ask('c', 'y', { model: 'm' }),
    ask('d', 'z', { model: 'n' }),
  ];
  const ids = async (transform: TransformInput) => (await apply(records, transform)).rows.map(({ id }) => id);
  expect(await ids({ kind: 'cap', rows: 2 })).toEqual(['a', 'b']);
  expect(await ids({ kind: 'cap', per_prompt: 1 })).toEqual(['a', 'c', 'd']);
  expect(await ids({ kind: 'cap', per_model: 1 })).toEqual(['a', 'd']);
  expect((await apply(records, { kind: 'cap', per_prompt: 1 })).drops[0]?.reason).toBe(
    'the cap of 1 rows for each prompt is reached',
  );
});

test('weights come from the reward, inside the bounds', async () => {
  const records = [ask('a', 'x', { reward: 0 }), ask('b', 'y', { reward: 7 }), ask('c', 'z')];
  const { rows } = await apply(records, { kind: 'weights', by: 'reward', otherwise: 0.25 });
  expect(rows.map(({ weight }) => weight)).toEqual([0, 1, 0.25]);
});

test('complete leaves out what was cut off', async () => {
  const records = [
    ask('a', 'x', { partial: true }),
    ask('b', 'y', { completed: false }),
    ask('c', 'z'),
    samplePreference(),
  ];
  expect((await apply(records, { kind: 'complete' })).rows.map(({ id }) => id)).toEqual(['c', 'pair']);
});

const dialogue = sampleConversation({
  messages: [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', content: '1' },
    { role: 'assistant', content: 'It is 1.' },
  ],
  tokens: { token_ids: [1, 2, 3, 4, 5], mask: [0, 1, 0, 1, 1], logprobs: [0, -1, 0, -2, -3] },
});

test('mask takes replies out of training and leaves them to be read', async () => {
  const { rows } = await apply([dialogue], { kind: 'mask', train: 'last-reply' });
  expect(rows).toMatchObject([
    {
      messages: [{}, { weight: 0 }, {}, { weight: 1 }],
      tokens: { mask: [0, 0, 0, 1, 1], logprobs: [0, 0, 0, -2, -3] },
    },
  ]);
  const kept = await apply([dialogue], { kind: 'mask', train: 'all-replies' });
  expect(kept.rows).toMatchObject([{ tokens: dialogue.tokens }]);
});

test('mask gives the tokens up, and says so, when it cannot tell whose they are', async () => {
  const odd = { ...dialogue, tokens: { ...dialogue.tokens!, mask: [0, 1, 1, 1, 1] as (0 | 1)[] } };
  const { rows, drops } = await apply([odd], { kind: 'mask', train: 'final-answers' });
  expect(rows).toMatchObject([{ tokens: null }]);
  expect(drops).toMatchObject([{ field: 'tokens', count: 1 }]);
});
