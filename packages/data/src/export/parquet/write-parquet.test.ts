import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { readParquet } from '../../import/parquet/read-parquet.ts';
import { MixedKindsError } from './mixed-kinds-error.ts';
import { sampleConversation, samplePreference } from './sample-records.fixture.ts';
import { writeParquet, type WriteParquetOptions } from './write-parquet.ts';

async function write(records: Iterable<DataRecord>, options?: WriteParquetOptions): Promise<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeParquet(records, options)) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces)).buffer;
}

async function readBack(file: ArrayBuffer): Promise<DataRecord[]> {
  const records: DataRecord[] = [];
  for await (const result of readParquet(file)) {
    if ('problem' in result) throw new Error(`${result.problem.at}: ${result.problem.reason}`);
    records.push(result.record);
  }
  return records;
}

const text = fc.string({ unit: 'grapheme' });
const message: fc.Arbitrary<ChatMessage> = fc.record(
  {
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.oneof(
      text,
      fc.constant(null),
      fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 }),
    ),
    reasoning_content: fc.oneof(text, fc.constant(null)),
    tool_calls: fc.array(
      fc.record(
        { id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: fc.json() }) },
        { requiredKeys: ['function'] },
      ),
      { maxLength: 3 },
    ),
    tool_call_id: text,
    name: fc.oneof(text, fc.constant(null)),
    provider_field: fc.jsonValue(),
  },
  { requiredKeys: ['role'] },
);

test('what goes in comes back, absent fields, nulls and fields of providers included', async () => {
  const record = fc.record({
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    weight: fc.double({ noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 8 }), async (parts) => {
      // Through JSON, as every record goes: there is no -0 and no undefined.
      const records = JSON.parse(
        JSON.stringify(
          parts.map((part, index) =>
            sampleConversation({ ...part, weight: Number.isFinite(part.weight) ? part.weight : 1, id: `${index}` }),
          ),
        ),
      ) as DataRecord[];
      expect(await readBack(await write(records, { rowsPerGroup: 3 }))).toEqual(records);
    }),
    { numRuns: 60 },
  );
});

test('pairs, tokens and tools come back', async () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', default: null } } }];
  const pair = samplePreference({ tools, extra: { note: [null, 1] } });
  expect(await readBack(await write([pair]))).toEqual([pair]);
  const tokens = {
    token_ids: [1, 151_643, 3],
    mask: [0, 1, 1] as (0 | 1)[],
    logprobs: [0, -0.123_456_789_012_345_68, -1e-9],
  };
  const rows = [
    sampleConversation({ tools, tokens }),
    sampleConversation({ id: 'other', tokens: { ...tokens, logprobs: null } }),
  ];
  expect(await readBack(await write(rows))).toEqual(rows);
});

test('a set without tools has no column for calls', async () => {
  const file = await write([sampleConversation()]);
  const names = parquetMetadata(file).schema.map(({ name }) => name);
  expect(names).not.toContain('tool_calls');
  const [row] = await parquetReadObjects({ file });
  expect(row?.['messages']).toEqual([
    { role: 'user', content: 'What is 6 × 7?' },
    { role: 'assistant', content: '42' },
  ]);
});

test('a file without rows is a file', async () => {
  expect(await readBack(await write([], { kind: 'preference' }))).toEqual([]);
});

test('a file holds one kind', async () => {
  await expect(write([sampleConversation(), samplePreference()])).rejects.toSatisfy(MixedKindsError.isInstance);
});

test('a file of somebody else is read, and its bad rows are told', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const file = parquetWriteBuffer({
    columnData: [{ name: 'messages', data: [JSON.stringify(messages), 'no JSON'], type: 'STRING' }],
  });
  const results = await Array.fromAsync(readParquet(file, { idPrefix: 'theirs' }));
  expect(results).toMatchObject([
    { record: { kind: 'conversation', id: 'theirs-0', messages, consent: 'train' } },
    { problem: { at: 'row 1', reason: 'the column messages is not JSON in this row' } },
  ]);
});
