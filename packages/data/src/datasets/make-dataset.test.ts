import { createIdSource, type CaptureRecord, type Consent } from '@lachesis/protocol';
import {
  type BlobStore,
  HeldOutError,
  openHome,
  readDatasetRows,
  recordCaptures,
  type Store,
  writeFeedback,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmptyDatasetError } from './empty-dataset-error.ts';
import { makeDataset } from './make-dataset.ts';

const tenantId = 'local';
let folder: string;
let store: Store;
let blobs: BlobStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-data-'));
  ({ store, blobs } = await openHome({ home: folder }));
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const ids = createIdSource();

function call(key: string, question: string, reply: string, consent: Consent = 'train'): CaptureRecord {
  return {
    kind: 'call',
    record_id: ids.next(),
    recorder: 'test',
    sequence: 0,
    trajectory: key,
    at: 1,
    user: null,
    tags: [],
    consent,
    metadata: null,
    state: 'complete',
    source: 'gateway',
    model: 'm',
    messages: [{ role: 'user', content: question }],
    tools: null,
    sampling: {},
    is_stream: false,
    replies: [
      {
        message: { role: 'assistant', content: reply },
        finish_reason: 'stop',
        tokens: null,
        tokens_missing: 'backend-returns-none',
      },
    ],
    usage: null,
    cost: null,
    upstream: null,
    started_at: 1,
    first_token_at: null,
    ended_at: 2,
    error: null,
  };
}

const record = (...records: CaptureRecord[]) => recordCaptures({ store, blobs, tenantId, records });
const readRows = (datasetId: string) => Array.fromAsync(readDatasetRows({ store, blobs, tenantId, datasetId }));

test('makes a version from what was recorded, without rows nobody allowed', async () => {
  await record(call('a', 'x', '1'), call('b', 'y', '2'), call('c', 'z', '3', 'keep'));
  const { dataset, dropped } = await makeDataset({ store, blobs, tenantId, name: 'mine', filter: {} });
  expect(dataset).toMatchObject({
    name: 'mine',
    version: 1,
    row_count: 2,
    recipe: { from: { filter: {}, kind: 'conversation' } },
  });
  expect(dropped).toEqual([{ field: 'row', count: 1, reason: 'its consent is "keep"' }]);
  const rows = await readRows(dataset.dataset_id);
  const replies = new Set(rows.map((row) => row.kind === 'conversation' && row.messages.at(-1)?.content));
  expect(replies).toEqual(new Set(['1', '2']));
  const again = await makeDataset({ store, blobs, tenantId, name: 'mine', filter: {} });
  expect(again.dataset).toEqual(dataset);
});

test('refuses rows of a held-out set and names it, or leaves them out', async () => {
  await record(call('a', 'x', '1'), call('b', 'y', '2'));
  await makeDataset({ store, blobs, tenantId, name: 'exam', filter: { key: 'a' }, isHeldOut: true });
  const attempt = makeDataset({ store, blobs, tenantId, name: 'mine', filter: {} });
  await expect(attempt).rejects.toSatisfy(HeldOutError.isInstance);
  await expect(attempt).rejects.toThrow(/exam@1/);
  const { dataset, dropped } = await makeDataset({
    store,
    blobs,
    tenantId,
    name: 'mine',
    filter: {},
    heldOut: 'leave-out',
  });
  expect(dataset.row_count).toBe(1);
  expect(dropped).toEqual([{ field: 'row', count: 1, reason: 'it is in the held-out set exam@1' }]);
});

test('the same question with another answer is held out too', async () => {
  await record(call('a', 'x', '1'), call('b', 'x', 'another'));
  await makeDataset({ store, blobs, tenantId, name: 'exam', filter: { key: 'a' }, isHeldOut: true });
  await expect(makeDataset({ store, blobs, tenantId, name: 'mine', filter: { key: 'b' } })).rejects.toThrow(/exam@1/);
});

test('makes no version without a row', async () => {
  await record(call('a', 'x', '1', 'keep'));
  const attempt = (filter: object) => makeDataset({ store, blobs, tenantId, name: 'mine', filter });
  await expect(attempt({})).rejects.toSatisfy(EmptyDatasetError.isInstance);
  await expect(attempt({})).rejects.toThrow(/1 × its consent is "keep"/);
  await expect(attempt({ model: 'other' })).rejects.toThrow(/nothing fits the filter/);
});

test('makes pairs from feedback', async () => {
  const [receipt] = await record(call('a', 'x', '1'));
  await writeFeedback({
    store,
    tenantId,
    feedback: {
      kind: 'edit',
      trajectory_id: receipt!.trajectory_id,
      turn_index: 0,
      author: 'me',
      author_kind: 'person',
      edited: { role: 'assistant', content: 'better' },
    },
  });
  const { dataset } = await makeDataset({ store, blobs, tenantId, name: 'pairs', filter: {}, kind: 'preference' });
  expect(await readRows(dataset.dataset_id)).toMatchObject([
    { kind: 'preference', chosen: [{ content: 'better' }], rejected: [{ content: '1' }] },
  ]);
});
