import { captureRecordSchema, type ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { toCaptureRecords, type RecordedConversation } from './to-capture-records.ts';

const call = { id: 'c', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
const asked: ChatMessage = { role: 'user', content: 'What is it?' };
const answered: ChatMessage = { role: 'assistant', content: 'A stone.' };
const looked: ChatMessage[] = [
  asked,
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', content: 'stone', tool_call_id: 'c' },
  answered,
];

const make = (given: Partial<RecordedConversation>): RecordedConversation => ({
  ...{ key: 'batch:a/1/0', source: 'batch:a', messages: [asked, answered], tools: null, model: 'm', at: 5 },
  consent: 'train',
  ...given,
});

test.each<[string, Partial<RecordedConversation>, string[]]>([
  ['a question and its answer', {}, ['call', 'end finished']],
  ['a talk with tools, whose calls are counted', { messages: looked }, ['messages', 'call', 'end finished']],
  ['one that failed', { messages: [asked], error: 'away' }, ['call', 'end failed']],
  ['one that was scored', { reward: 0 }, ['call', 'end scored']],
  ['one whose model nobody knows', { model: null }, ['messages', 'end finished']],
  ['one that ends with a tool', { messages: looked.slice(0, 3) }, ['messages', 'end finished']],
])('records %s, and the same again under the same ids', (_name, given, kinds) => {
  const records = toCaptureRecords(make(given));
  expect(records.map((one) => (one.kind === 'end' ? `end ${one.outcome}` : one.kind))).toEqual(kinds);
  for (const record of records) expect(captureRecordSchema.safeParse(record).error).toBeUndefined();
  expect(records.map(({ sequence }) => sequence)).toEqual([...kinds.keys()]);
  expect(toCaptureRecords(make(given))).toEqual(records);
  const others = toCaptureRecords(make({ ...given, key: 'batch:a/1/1' }));
  expect(new Set([...records, ...others].map((one) => one.record_id)).size).toBe(2 * kinds.length);
});
