import { createIdSource } from '@lachesis/protocol';
import {
  createQueueChanges,
  createQueueStateRecord,
  createTrainingRun,
  openStore,
  planQueueWrite,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRunLedger } from './read-run-ledger.ts';

const ids = createIdSource();

async function openRun() {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-ledger-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const placeOf = () => ({ logPath: '', port: null });
  const run = await createTrainingRun({
    ...{ store, tenantId: 'local', environment: 'toy', config: {}, ids, details: () => ({}) },
    processes: () => ({ api: placeOf(), trainer: placeOf(), env: placeOf() }),
    nextShortId: () => 'k3v9x0ab',
  });
  return {
    ...{ store, run },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

test('counts of the queue add up to what was produced', async () => {
  await using opened = await openRun();
  const { store, run } = opened;
  const record = createQueueStateRecord();
  record.counts = { produced: 7, delivered: 1, trained: 3, quarantined: 1, dropped: { stale: 2 } };
  const identity = { tenantId: 'local', runId: ids.next(), runName: run.shortId, incarnationId: ids.next() };
  await store.commit(
    planQueueWrite(store.db, { ...identity, ordinal: 0, version: 0, record }, createQueueChanges(), 1),
  );
  expect(await readRunLedger({ store, run })).toEqual({
    ...{ run_id: 'k3v9x0ab', produced: 7, pending: 0, buffered: 0, formed: 0, leased: 0, delivered_unconfirmed: 1 },
    ...{ trained: 3, quarantined: 1, dropped: { stale: 2 }, balanced: true },
  });
});

test('a run without a queue has no groups', async () => {
  await using opened = await openRun();
  const { store, run } = opened;
  expect(await readRunLedger({ store, run })).toMatchObject({ produced: 0, dropped: {}, balanced: true });
});
