import { createIdSource, openRedactor, type CaptureRecord } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { openOutbox } from '@lachesis/sdk/capture';
import { listTrajectories, openHome, StaleWriteError, StoreClosedError, type Home } from '@lachesis/store';
import { DiskFullError } from '@lachesis/store/blobs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drainOutboxes } from './drain-outboxes.ts';
import type { IngestParts } from './ingest-records.ts';
import { isRecordAtFault } from './is-record-at-fault.ts';

let folder: string;
let home: Home;
let parts: IngestParts;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-ingest-'));
  home = await openHome({ home: folder });
  const { store, blobs } = home;
  const redactor = openRedactor({ redactNames: [], redactVariables: [], redactPattern: String.raw`ACME-\d+` }, {});
  parts = { store, blobs, ids: createIdSource(), redactor };
});
afterEach(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

const record = (recorder: string, content: string): CaptureRecord => ({
  ...{ record_id: createIdSource().next(), recorder, sequence: 0, trajectory: `of ${recorder}`, at: 1, user: null },
  ...{ tags: [], consent: 'train', metadata: null, kind: 'messages', source: 'test', model: null, tools: null },
  messages: [{ role: 'user', content }],
});

/** A recorder that writes one record and is never heard of again. */
async function leave(recorder: string, content: string, tenantId?: string): Promise<void> {
  const outbox = openOutbox({ directory: outboxPaths(folder, tenantId).directory, recorder });
  outbox.append(record(recorder, content));
  await outbox.close();
}

const titles = async (tenantId = 'local') =>
  (await listTrajectories({ store: home.store, tenantId, filter: {}, limit: 10 })).trajectories.map(
    ({ title }) => title,
  );

const drain = (more: { gatewayQuietMs?: number; now?: () => number } = {}) =>
  drainOutboxes({ parts, home: folder, now: Date.now, ...more });

it('brings in what every recorder of every tenant left, without what the settings take out', async () => {
  await leave('app-1', 'customer ACME-12345 called');
  await leave('app-2', 'another one');
  await leave('app-3', 'of somebody else', 'acme');
  expect(await drain()).toEqual({ delivered: 3, refused: 0, unreadable: 0, torn: 0 });
  expect((await titles()).toSorted()).toEqual(['another one', 'customer [redacted:pattern] called']);
  expect(await titles('acme')).toEqual(['of somebody else']);
  expect(await drain()).toMatchObject({ delivered: 0 });
});

it('leaves the last calls of a gateway to it, until it has been silent', async () => {
  await leave('gateway-1', 'a call');
  expect(await drain()).toMatchObject({ delivered: 0 });
  expect(await drain({ now: () => Date.now() + 11_000 })).toMatchObject({ delivered: 1 });
  await leave('gateway-2', 'a call of one that died');
  expect(await drain({ gatewayQuietMs: 0 })).toMatchObject({ delivered: 1 });
});

it('puts aside a record that can never be kept, and keeps the others', async () => {
  await leave('app-1', 'good');
  await leave('app-2', 'bad');
  const { blobs, store } = parts;
  const commit: typeof store.commit = (unit) =>
    JSON.stringify(unit.statements.map(({ query }) => query.parameters)).includes('of app-2')
      ? Promise.reject(new TypeError('it cannot be kept'))
      : store.commit(unit);
  const picky = new Proxy(store, {
    get: (target, name) => (name === 'commit' ? commit : (Reflect.get(target, name) as unknown)),
  });
  const report = await drainOutboxes({ parts: { ...parts, store: picky, blobs }, home: folder, now: Date.now });
  expect(report).toMatchObject({ delivered: 1, refused: 1 });
  expect(await readFile(outboxPaths(folder).refused, 'utf8')).toContain('bad');
});

it('knows a store that is away from a record that is at fault', () => {
  const away = [
    new StoreClosedError(),
    new DiskFullError({ target: 'x' }),
    Object.assign(new Error('busy'), { retryable: true }),
  ];
  for (const error of away) expect(isRecordAtFault(error)).toBe(false);
  expect(isRecordAtFault(new TypeError('no'))).toBe(true);
  expect(StaleWriteError.isInstance(new TypeError('no'))).toBe(false);
});
