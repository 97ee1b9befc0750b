import { expect, it } from 'vitest';
import type { Store } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { loadQueue, readQueueVersion } from './load-queue.ts';
import {
  makeBatch,
  makeEnvironment,
  makeFullChanges,
  makeHistory,
  makeIdentity,
  makeReadyGroup,
} from './queue-changes.fixture.ts';
import { createQueueChanges, createQueueStateRecord } from './records.ts';
import type { QueueChanges } from './records.ts';
import { planQueueWrite, type QueueIdentity } from './write-queue.ts';

const run = { tenantId: 't', runName: 'default' };

function write(store: Store, identity: Partial<QueueIdentity>, changes: QueueChanges, now = 2_000) {
  return store.commit(planQueueWrite(store.db, makeIdentity(identity), changes, now));
}

describeOnEachDialect('the rows of a queue', (createTarget) => {
  it('are null for a run that is not there', async () => {
    await using target = await createTarget();
    const store = await target.open();
    expect(await loadQueue(store.db, run)).toBeNull();
    expect(await readQueueVersion(store.db, { tenantId: 't', runId: 'run' })).toBeNull();
  });

  it('come back as they were written', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const changes = makeFullChanges();
    const record = { ...createQueueStateRecord(), nextPosition: 3, recentTurns: ['turn'] };
    record.counts.dropped['a "quoted" reason'] = 2;
    await write(store, { record }, changes);
    expect(await loadQueue(store.db, run)).toEqual({
      ...run,
      runId: 'run',
      incarnationId: 'first',
      ordinal: 0,
      version: 1,
      state: record,
      environments: [...changes.environmentWrites.values()],
      groups: [...changes.readyWrites.values()],
      batches: [...changes.batchWrites.values()],
      receipts: [...changes.receiptWrites.values()],
    });
    expect(await readQueueVersion(store.db, { tenantId: 't', runId: 'run' })).toEqual({
      incarnationId: 'first',
      version: 1,
    });
  });

  it('are changed in place and deleted by later turns', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const changes = createQueueChanges();
    changes.readyWrites.set('b', makeReadyGroup('b', { position: 7, place: 'queue', envId: 0, failures: 3 }));
    changes.readyDeletes.add('a');
    changes.fates.push({ groupId: 'a', fate: 'trained', reason: null, batchId: 'batch', at: 3_000 });
    changes.batchDeletes.add('batch');
    changes.batchHistory.push({
      batchId: 'batch',
      ordinal: 0,
      fate: 'trained',
      epoch: 3,
      attempts: 3,
      step: 1,
      policyVersion: null,
      groupIds: ['a'],
      formedAt: 1_000,
      endedAt: 3_000,
    });
    changes.receiptDeletes.add('r');
    changes.environmentWrites.set(0, makeEnvironment(0, { groupSize: 8, connected: false, disconnectReason: 'asked' }));
    await write(store, { version: 1 }, changes);
    const loaded = await loadQueue(store.db, run);
    expect(loaded).toMatchObject({ version: 2, batches: [], receipts: [] });
    expect(loaded?.groups).toEqual([makeReadyGroup('b', { position: 7, envId: 0, failures: 3 })]);
    expect(loaded?.environments[0]).toMatchObject({ groupSize: 8, connected: false, disconnectReason: 'asked' });
    const settled = await store.db.selectFrom('batches').select(['fate', 'epoch', 'group_ids']).execute();
    expect(settled).toEqual([{ fate: 'trained', epoch: 3, group_ids: '["a"]' }]);
  });

  it('let one of two writers on the same version through; the other is told that it is stale, and writes nothing', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const add = (groupId: string) => {
      const changes = createQueueChanges();
      changes.groups.push(makeHistory(groupId));
      changes.readyWrites.set(groupId, makeReadyGroup(groupId));
      return write(store, { version: 1 }, changes);
    };
    const results = await Promise.allSettled([add('x'), add('y')]);
    const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason as unknown);
    expect(refused).toHaveLength(1);
    expect(StaleWriteError.isInstance(refused[0])).toBe(true);
    const loaded = await loadQueue(store.db, run);
    expect(loaded?.version).toBe(2);
    expect(loaded?.groups).toHaveLength(3);
  });

  it('let one of two creators of a run through', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, createQueueChanges());
    const second = write(store, { runId: 'other', incarnationId: 'other' }, createQueueChanges());
    await expect(second).rejects.toSatisfy(StoreConflictError.isInstance);
    expect(await loadQueue(store.db, run)).toMatchObject({ runId: 'run', version: 1 });
  });

  it.each([
    ['a group', (changes: QueueChanges) => void changes.groups.push(makeHistory('a'))],
    [
      'an idempotency key',
      (changes: QueueChanges) => void changes.idempotency.push({ key: 'k', bodyDigest: '', reply: '', createdAt: 0 }),
    ],
    [
      'a fate',
      (changes: QueueChanges) =>
        void changes.fates.push({ groupId: 'poison', fate: 'trained', reason: null, batchId: null, at: 0 }),
    ],
  ])('refuse %s that is there already, with the whole turn', async (_, add) => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const changes = createQueueChanges();
    changes.readyDeletes.add('a');
    add(changes);
    await expect(write(store, { version: 1 }, changes)).rejects.toSatisfy(StoreConflictError.isInstance);
    const loaded = await loadQueue(store.db, run);
    expect(loaded).toMatchObject({ version: 1 });
    expect(loaded?.groups).toHaveLength(2);
  });

  it('are archived by a reset: history stays, what waited goes, and the new incarnation is empty', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const changes = createQueueChanges();
    const closedState = createQueueStateRecord();
    closedState.counts.dropped['reset'] = 2;
    changes.opened = {
      incarnationId: 'second',
      ordinal: 1,
      closed: { incarnationId: 'first', reason: 'reset', state: closedState },
    };
    await write(store, { incarnationId: 'second', ordinal: 1, version: 1 }, changes, 5_000);
    expect(await loadQueue(store.db, run)).toMatchObject({
      incarnationId: 'second',
      ordinal: 1,
      version: 1,
      environments: [],
      groups: [],
      batches: [],
      receipts: [],
    });
    const closed = await store.db
      .selectFrom('run_incarnations')
      .selectAll()
      .where('incarnation_id', '=', 'first')
      .executeTakeFirstOrThrow();
    expect(closed).toMatchObject({ version: 2, closed_at: 5_000, close_reason: 'reset' });
    expect(JSON.parse(closed.state)).toEqual(closedState);
    expect(await store.db.selectFrom('groups').select('group_id').orderBy('group_id').execute()).toHaveLength(3);
    expect(await store.db.selectFrom('events').select('cursor').execute()).toHaveLength(1);
  });

  it('are not archived twice', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const reset = (incarnationId: string) => {
      const changes = createQueueChanges();
      changes.opened = {
        incarnationId,
        ordinal: 1,
        closed: { incarnationId: 'first', reason: 'reset', state: createQueueStateRecord() },
      };
      return write(store, { incarnationId, ordinal: 1, version: 1 }, changes);
    };
    await reset('second');
    // Both are true of it: it is stale, and its ordinal is taken. Which one is heard differs between the databases.
    await expect(reset('third')).rejects.toSatisfy(
      (error) => StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error),
    );
    expect(await loadQueue(store.db, run)).toMatchObject({ incarnationId: 'second' });
  });

  it('take a NUL in what strangers name', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const changes = createQueueChanges();
    changes.environmentWrites.set(0, makeEnvironment(0, { desiredName: 'a\0b', realName: 'a\0b_0' }));
    changes.groups.push(
      makeHistory('a', { reason: '\0', consent: 'c\0', environmentDigest: '\0', verifierDigest: '\0' }),
    );
    changes.fates.push({ groupId: 'a', fate: 'dropped', reason: 'why\0', batchId: null, at: 0 });
    changes.batchWrites.set('batch', makeBatch('batch', { owner: 'me\0' }));
    changes.events.push({ cursor: 1, kind: 'k', at: 0, data: { name: 'a\0b' }, previousHash: '', hash: 'h' });
    const record = createQueueStateRecord();
    record.counts.dropped['why\0'] = 1;
    await write(store, { record }, changes);
    const loaded = await loadQueue(store.db, run);
    expect(loaded?.environments[0]?.desiredName).toBe('a\uFFFDb');
    expect(loaded?.batches[0]?.owner).toBe('me\uFFFD');
    expect(loaded?.state.counts.dropped).toEqual({ 'why\0': 1 });
  });

  it('count a payload once for each group that has it', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    const changes = createQueueChanges();
    changes.groups.push(makeHistory('c'), makeHistory('d', { payloadDigest: 'other' }));
    await write(store, { version: 1 }, changes);
    const rows = await store.db
      .selectFrom('blob_references')
      .select(['digest', 'reference_count'])
      .orderBy('digest')
      .execute();
    expect(rows).toEqual([
      { digest: 'digest', reference_count: 4 },
      { digest: 'other', reference_count: 1 },
    ]);
  });

  it('may be more than one statement takes', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const changes = createQueueChanges();
    for (let index = 0; index < 1_201; index++) {
      changes.groups.push(makeHistory(`g${index}`, { position: index }));
      changes.readyWrites.set(`g${index}`, makeReadyGroup(`g${index}`, { position: index }));
    }
    await write(store, {}, changes);
    expect((await loadQueue(store.db, run))?.groups).toHaveLength(1_201);
    const gone = createQueueChanges();
    for (let index = 0; index < 1_200; index++) gone.readyDeletes.add(`g${index}`);
    await write(store, { version: 1 }, gone);
    expect((await loadQueue(store.db, run))?.groups.map((group) => group.groupId)).toEqual(['g1200']);
  });

  it('of another tenant are another run', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await write(store, {}, makeFullChanges());
    expect(await loadQueue(store.db, { tenantId: 'u', runName: 'default' })).toBeNull();
    await write(store, { tenantId: 'u' }, makeFullChanges());
    expect((await loadQueue(store.db, { tenantId: 'u', runName: 'default' }))?.groups).toHaveLength(2);
  });
});
