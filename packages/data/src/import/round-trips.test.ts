import { type DataRecord, makeConversation } from '@lachesis/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeJsonl } from '../export/jsonl/write-jsonl.ts';
import { writeOpenAi } from '../export/openai/write-openai.ts';
import { writeShareGpt } from '../export/sharegpt/write-sharegpt.ts';
import { writeTrl } from '../export/trl/write-trl.ts';
import { type DroppedField, createDropReport } from '../records/drop-report.ts';
import type { ReadResult } from '../records/read-result.ts';
import { arbitraryConversation, arbitraryPreference, tameMessages } from '../records/record-arbitraries.fixture.ts';
import { readJsonl } from './jsonl/read-jsonl.ts';
import { readOpenAi } from './openai/read-openai.ts';
import { readShareGpt } from './sharegpt/read-sharegpt.ts';
import { readTrl } from './trl/read-trl.ts';

const arbitraryRecord: fc.Arbitrary<DataRecord> = fc.oneof(arbitraryConversation, arbitraryPreference);

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

async function readOne(results: AsyncIterable<ReadResult>): Promise<DataRecord> {
  const all = await Array.fromAsync(results);
  const [first] = all;
  if (first === undefined || all.length > 1 || 'problem' in first) throw new Error(`read ${JSON.stringify(all)}`);
  return first.record;
}

/** Every field that was not named as lost is as it was. */
function expectKept(record: DataRecord, back: DataRecord, drops: readonly DroppedField[]): void {
  const lost = new Set(drops.map(({ field }) => field.split('.')[0] ?? ''));
  // Messages of a pair are in three fields.
  if (lost.has('messages')) for (const field of ['prompt', 'chosen', 'rejected']) lost.add(field);
  for (const key of Object.keys(record) as (keyof DataRecord)[]) {
    if (key === 'id' || key === 'extra' || lost.has(key)) continue;
    expect({ [key]: back[key] }).toEqual({ [key]: record[key] });
  }
}

test('our own lines lose nothing', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRecord, async (record) => {
      expect(await readOne(readJsonl(await textOf(writeJsonl([record]))))).toEqual(record);
    }),
  );
});

test.each(['messages', 'fine-tuning'] as const)(
  'OpenAI lines of the shape %s keep what they do not name as lost',
  async (shape) => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecord, async (record) => {
        const drops = createDropReport();
        const line = await textOf(writeOpenAi([record], { shape, drops }));
        const back = await readOne(readOpenAi(line));
        expectKept(record, back, drops.list());
        expect(await textOf(writeOpenAi([back], { shape }))).toBe(line);
      }),
    );
  },
);

test.each(['object', 'text'] as const)(
  'TRL rows with arguments as %s keep what they do not name as lost',
  async (form) => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecord, async (record) => {
        const drops = createDropReport();
        const line = await textOf(writeTrl([record], { arguments: form, drops }));
        const back = await readOne(readTrl(line));
        expectKept(record, back, drops.list());
        expect(await textOf(writeTrl([back], { arguments: form }))).toBe(line);
      }),
    );
  },
);

test.each(['interactive', 'batch'] as const)(
  'ShareGPT lines of the shape %s keep what they do not name as lost',
  async (shape) => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation, async (record) => {
        const drops = createDropReport();
        const line = await textOf(writeShareGpt([record], { shape, drops }));
        const back = await readOne(readShareGpt(line));
        expectKept(record, back, drops.list());
        expect(await textOf(writeShareGpt([back], { shape }))).toBe(line);
      }),
      { numRuns: 200 },
    );
  },
);

test('an ordinary conversation comes back from ShareGPT message by message, its calls in order', async () => {
  await fc.assert(
    fc.asyncProperty(tameMessages, async (messages) => {
      const drops = createDropReport();
      const record = makeConversation({ id: 'one', messages });
      const back = await readOne(readShareGpt(await textOf(writeShareGpt([record], { drops }))));
      // A call that nobody answered loses its id, and nothing else may be lost.
      expect(drops.list().filter(({ field }) => field !== 'messages.tool_calls.id')).toEqual([]);
      if (drops.list().length === 0) expect(back).toMatchObject({ messages, tools: null, extra: {} });
    }),
    { numRuns: 200 },
  );
});

test('a pair has no place among ShareGPT lines, and that is said', async () => {
  const drops = createDropReport();
  const [pair] = fc.sample(arbitraryPreference, 1);
  expect(await textOf(writeShareGpt([pair as DataRecord], { drops }))).toBe('');
  expect(drops.list()).toMatchObject([{ field: 'preference', count: 1 }]);
});
