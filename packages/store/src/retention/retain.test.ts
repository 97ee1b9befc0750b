import { expect, test } from 'vitest';
import { isBlobReferenced } from '../blobs/blob-references.ts';
import type { Store } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { createEventRow } from '../events/create-event-row.ts';
import { FIRST_PREVIOUS_HASH } from '../events/chain-event.ts';
import { readEventPage } from '../events/read-event-page.ts';
import { verifyChain } from '../events/verify-chain.ts';
import { listStoredSteps, recordStepRollouts } from '../rollouts/step-rollouts.ts';
import { createBlobs, DIGEST, fillQueue, rolloutsOf, SCOPE } from '../rollouts/trained-queue.fixture.ts';
import { createOvertakenStore } from '../testing/overtaken-store.fixture.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { mergePolicies, readKeepPolicy, writeKeepPolicy } from './keep-policies.ts';
import { readEventsBegin } from './retain-events.ts';
import { retain, type RetentionReport } from './retain.ts';

const DAY_MS = 86_400_000;
const NOTHING = {
  runs: 0,
  steps: 0,
  groups: 0,
  batches: 0,
  keys: 0,
  events: 0,
  records: 0,
  cold: 0,
  coldGroups: 0,
  bytes: 0,
};

test('a run keeps what it says before what all runs say, and no payload longer than its rows', () => {
  const ofAll = { payloads: 30, keys: 7 };
  expect(mergePolicies({}, {})).toEqual({
    payloads: null,
    history: null,
    events: null,
    keys: null,
    records: null,
    hot: null,
  });
  expect(mergePolicies({ keys: null }, ofAll)).toMatchObject({ payloads: 30, keys: null });
  expect(mergePolicies({ history: 10 }, ofAll)).toMatchObject({ payloads: 10, history: 10 });
  expect(mergePolicies({ history: 90 }, ofAll)).toMatchObject({ payloads: 30, history: 90 });
  expect(mergePolicies({ history: 90, payloads: null }, ofAll)).toMatchObject({ payloads: 90 });
});

test('days below nothing are refused before anything is written', async () => {
  const store = undefined as unknown as Store;
  for (const days of [-1, Number.NaN]) {
    await expect(writeKeepPolicy({ store, tenantId: 't', policy: { history: days } })).rejects.toThrow(RangeError);
  }
});

describeOnEachDialect('retention', (createTarget) => {
  async function age(store: Store, days: number): Promise<void> {
    const old = (await store.now()) - days * DAY_MS;
    await store.db.updateTable('groups').set({ received_at: old }).execute();
    await store.db.updateTable('group_fates').set({ at: old }).execute();
    await store.db.updateTable('batches').set({ ended_at: old }).execute();
    await store.db.updateTable('step_rollouts').set({ recorded_at: old }).execute();
  }

  test('lets go of payloads when their run says so, and of none when nobody did', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const scope = { ...SCOPE, store };
    const blobs = createBlobs('abcd');
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(2, 'd') });
    const old = (await store.now()) - 40 * DAY_MS;
    await store.db.updateTable('step_rollouts').set({ recorded_at: old }).where('step', '=', 1).execute();
    expect(await readKeepPolicy(scope)).toEqual({});
    expect(await retain({ store, blobs })).toEqual(NOTHING);
    await writeKeepPolicy({ ...scope, policy: { payloads: 30 } });
    const found = { ...NOTHING, runs: 1, steps: 1, bytes: 23 };
    expect(await retain({ store, blobs, isDryRun: true })).toEqual(found);
    expect(blobs.digests.size).toBe(4);
    expect(await retain({ store, blobs })).toEqual(found);
    expect((await listStoredSteps(scope)).map(({ step }) => step)).toEqual([2]);
    // The payload that the second step has too stays.
    expect([...blobs.digests].toSorted()).toEqual([DIGEST('b'), DIGEST('d')]);
    expect(await retain({ store, blobs })).toEqual(NOTHING);
    await writeKeepPolicy({ ...scope, policy: { payloads: null } });
    expect(await readKeepPolicy(scope)).toEqual({ payloads: null });
  });

  test('lets go of settled groups with their payloads, each reference once, and of nothing that waits', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const blobs = createBlobs('abc');
    const scope = { ...SCOPE, store };
    // Of the first batch a step reported its rollouts; of the second none did, as when another trainer took it.
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await age(store, 40);
    // One of the first batch waits again.
    await store.db.deleteFrom('group_fates').where('group_id', '=', 'g0').execute();
    await writeKeepPolicy({ store, tenantId: SCOPE.tenantId, policy: { history: 30 } });
    const gone = { ...NOTHING, runs: 1, steps: 1, groups: 2, batches: 2, bytes: 33 };
    expect(await retain({ store, blobs, isDryRun: true })).toEqual(gone);
    expect((await store.db.selectFrom('groups').select('group_id').execute()).length).toBe(3);
    expect(await retain({ store, blobs })).toEqual(gone);
    const left = await store.db.selectFrom('groups').select('group_id').execute();
    expect(left).toEqual([{ group_id: 'g0' }]);
    expect(await store.db.selectFrom('group_fates').selectAll().execute()).toEqual([]);
    for (const letter of 'bc') expect(await isBlobReferenced({ store, digest: DIGEST(letter) })).toBe(false);
    expect(await retain({ store, blobs })).toEqual(NOTHING);
  });

  test('keeps the rows of groups whose payloads a younger step keeps', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const blobs = createBlobs('abcd');
    const scope = { ...SCOPE, store };
    await age(store, 40);
    await recordStepRollouts({ ...scope, rollouts: rolloutsOf(1, 'c') });
    await writeKeepPolicy({ ...scope, policy: { history: 30 } });
    expect(await retain({ store, blobs })).toMatchObject({ steps: 0, groups: 1, batches: 1 });
    const left = await store.db.selectFrom('groups').select('group_id').orderBy('group_id').execute();
    expect(left.map((row) => row.group_id)).toEqual(['g0', 'g1']);
  });

  test('rests after each commit for as long as it worked', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    await age(store, 40);
    await writeKeepPolicy({ store, tenantId: SCOPE.tenantId, policy: { history: 30 } });
    const rests: number[] = [];
    await retain({ store, blobs: createBlobs('abc'), pause: async (ms) => rests.push(ms) });
    expect(rests.length).toBeGreaterThanOrEqual(2);
    for (const ms of rests) expect(ms).toBeGreaterThan(0);
  });

  test('lets go of keys by their time', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const now = await store.now();
    const key = { tenant_id: SCOPE.tenantId, run_id: SCOPE.runId, body_digest: '', reply: '' };
    await store.db
      .insertInto('idempotency_keys')
      .values([
        { ...key, key: 'old', created_at: now - 8 * DAY_MS },
        { ...key, key: 'young', created_at: now - 6 * DAY_MS },
      ])
      .execute();
    const blobs = createBlobs('');
    await writeKeepPolicy({ store, ...SCOPE, policy: { keys: 7 } });
    expect(await retain({ store, blobs, isDryRun: true })).toMatchObject({ keys: 1 });
    expect(await retain({ store, blobs })).toMatchObject({ runs: 1, keys: 1 });
    expect(await store.db.selectFrom('idempotency_keys').select('key').execute()).toEqual([{ key: 'young' }]);
  });

  test('lets go of the oldest events, says where the chain begins then, and keeps the newest', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const now = await store.now();
    const { tenantId, runId } = SCOPE;
    let hash = FIRST_PREVIOUS_HASH;
    for (let cursor = 1; cursor <= 6; cursor += 1) {
      const at = now - (cursor <= 4 ? 40 : 1) * DAY_MS;
      const row = createEventRow(hash, { tenantId, runId, cursor, kind: 'made', at, data: { cursor } });
      await store.db.insertInto('events').values(row).execute();
      hash = row.hash;
    }
    const scope = { store, tenantId, runId };
    const blobs = createBlobs('');
    await writeKeepPolicy({ ...scope, policy: { events: 30 } });
    expect(await retain({ store, blobs, isDryRun: true })).toMatchObject({ events: 4 });
    expect(await retain({ store, blobs })).toMatchObject({ runs: 1, events: 4 });
    const left = await readEventPage(scope);
    expect(left.map(({ cursor }) => cursor)).toEqual([5, 6]);
    expect(verifyChain(left, await readEventsBegin(scope))).toMatchObject({ ok: true, last: { cursor: 6 } });
    expect(verifyChain(left)).toMatchObject({ ok: false, cursor: 1 });
    await writeKeepPolicy({ ...scope, policy: { events: 0 } });
    expect(await retain({ store, blobs })).toMatchObject({ events: 1 });
    expect((await readEventPage(scope)).map(({ cursor }) => cursor)).toEqual([6]);
  });

  test('two collectors at once let go of everything once, and neither fails', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const { tenantId, runId } = SCOPE;
    let hash = FIRST_PREVIOUS_HASH;
    for (let cursor = 1; cursor <= 6; cursor += 1) {
      const row = createEventRow(hash, { tenantId, runId, cursor, kind: 'made', at: 1, data: {} });
      await store.db.insertInto('events').values(row).execute();
      hash = row.hash;
    }
    await age(store, 40);
    const blobs = createBlobs('abc');
    const scope = { store, tenantId, runId };
    for (const [policy, gone] of [
      [{ history: 30 }, { groups: 3, batches: 2 }],
      [{ events: 30 }, { events: 5 }],
    ] as const) {
      await writeKeepPolicy({ store, tenantId, policy });
      const others: RetentionReport[] = [];
      const overtaken = createOvertakenStore(store, async () => others.push(await retain({ store, blobs })));
      expect(await retain({ store: overtaken, blobs })).toEqual(NOTHING);
      expect(others).toMatchObject([gone]);
    }
    expect(await store.db.selectFrom('groups').select('group_id').execute()).toEqual([]);
    expect(verifyChain(await readEventPage(scope), await readEventsBegin(scope))).toMatchObject({ ok: true });
  });

  test('lets go of no event after one that is missing', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await fillQueue(store);
    const { tenantId, runId } = SCOPE;
    let hash = FIRST_PREVIOUS_HASH;
    for (let cursor = 1; cursor <= 4; cursor += 1) {
      const row = createEventRow(hash, { tenantId, runId, cursor, kind: 'made', at: 1, data: {} });
      if (cursor !== 2) await store.db.insertInto('events').values(row).execute();
      hash = row.hash;
    }
    await writeKeepPolicy({ store, tenantId, runId, policy: { events: 1 } });
    await expect(retain({ store, blobs: createBlobs('') })).rejects.toThrow(StaleWriteError);
    expect((await readEventPage({ store, tenantId, runId })).map(({ cursor }) => cursor)).toEqual([1, 3, 4]);
  });
});
