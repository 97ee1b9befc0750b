import { openStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecordSettings } from './settings.ts';
import { openRunMemory } from './training-memory.ts';

let directory: string;
let store: Store;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lachesis-memory-'));
  store = await openStore({ sqlitePath: join(directory, 'store.db') });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const begin = (runId: string, given: Record<string, unknown>, dataset = 'set') =>
  openRunMemory({ store, tenantId: 'local', runId, run: runId }).begin({
    ...{ method: 'dpo', dataset, given },
    settings: readRecordSettings('dpo', given),
  });

test('goes on with what the run began with, where nothing else is said', async () => {
  await begin('a', { beta: 0.3, batch_size: 4 });
  expect(await begin('a', {})).toMatchObject({ beta: 0.3, batch_size: 4 });
  expect(await begin('a', { save_every: 3 })).toMatchObject({ beta: 0.3, save_every: 3 });
});

test('refuses to go on as something else, and names what differs', async () => {
  await begin('b', { beta: 0.3 });
  await expect(begin('b', { beta: 0.2 })).rejects.toThrow('began with the beta 0.3, and now 0.2 is asked for');
  await expect(begin('b', {}, 'other')).rejects.toThrow('began with the data set "set"');
});

test('refuses rows that are not those the run began with', async () => {
  const memory = openRunMemory({ store, tenantId: 'local', runId: 'c', run: 'c' });
  const [one, two] = ['1', '2'].map((id) => ({ id, datums: [] }));
  await memory.checkRows([one!, two!]);
  await memory.checkRows([one!, two!]);
  await expect(memory.checkRows([one!])).rejects.toThrow('forgotten or held out since the run c began');
});
