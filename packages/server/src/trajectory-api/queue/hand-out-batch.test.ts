import { describe, expect, it } from 'vitest';
import { setEnvironmentConnected } from './environments.ts';
import {
  dropBatch,
  expireLeases,
  findHeldBatch,
  finishBatch,
  quarantineFromBatch,
  reclaimSending,
  rejectBatch,
  renewLease,
  returnBatch,
} from './hand-out-batch.ts';
import { createQueueBench, type QueueBench } from './queue-bench.fixture.ts';
import type { OpenBatch } from './state.ts';

/** A run with batches of two groups of four sequences. */
function createBench(groups: number, rules: Parameters<typeof createQueueBench>[0] = {}): QueueBench {
  const bench = createQueueBench(rules);
  bench.registerTrainer(8);
  for (let index = 0; index < groups; index++) bench.push({ groupId: `g${index}` });
  return bench;
}

function groupsOf(batch: OpenBatch): string[] {
  return batch.groups.map((group) => group.groupId);
}

function fail(bench: QueueBench, batch: OpenBatch, groupIds: string[] = []): string[] {
  const answer = bench.take((transaction) =>
    rejectBatch(transaction, { batchId: batch.batchId, epoch: batch.epoch, reason: 'broken', groupIds }),
  );
  if (answer.kind === 'stale') throw new Error('the batch is not held');
  return answer.quarantined;
}

describe('handing out', () => {
  it('needs a registered trainer', () => {
    expect(createQueueBench().handOut()).toEqual({ kind: 'unregistered' });
  });

  it('is empty until the groups make up a batch', () => {
    const bench = createBench(1);
    expect(bench.handOut()).toEqual({ kind: 'empty' });
    bench.push({});
    expect(bench.handOut().kind).toBe('batch');
  });

  it('marks the trainer as started, once', () => {
    const bench = createBench(0);
    bench.handOut();
    expect(bench.changes.events.map((event) => event.kind)).toEqual(['trainer-started']);
    bench.handOut();
    expect(bench.changes.events).toEqual([]);
  });

  it('forms all batches at once and gives the oldest first', () => {
    const bench = createBench(6);
    expect(groupsOf(bench.lease())).toEqual(['g0', 'g1']);
    expect(bench.ledger()).toMatchObject({ pending: 0, formed: 4, leased: 2 });
    expect([bench.lease(), bench.lease()].map(groupsOf)).toEqual([
      ['g2', 'g3'],
      ['g4', 'g5'],
    ]);
    expect(bench.handOut()).toEqual({ kind: 'empty' });
  });

  it('gives the newest first in strict runs', () => {
    const bench = createBench(6, { deviates: false });
    expect([bench.lease(), bench.lease(), bench.lease()].map(groupsOf)).toEqual([
      ['g4', 'g5'],
      ['g2', 'g3'],
      ['g0', 'g1'],
    ]);
  });

  it('forms no more while a formed batch waits', () => {
    const bench = createBench(4);
    bench.lease();
    bench.push({}, {});
    bench.lease();
    expect(bench.ledger()).toMatchObject({ pending: 2, formed: 0 });
  });

  it('counts each hand-out with a new epoch and attempt', () => {
    const bench = createBench(2);
    for (const count of [1, 2, 3]) {
      const batch = bench.lease();
      expect([batch.epoch, batch.attempts]).toEqual([count, count]);
      bench.take((transaction) => returnBatch(transaction, { ...batch, reason: 'again' }));
    }
  });

  it('counts formed batches as waiting, except in strict runs', () => {
    const bench = createBench(6);
    bench.lease();
    expect(bench.state.statistics.groupCount).toBe(4);
    const strict = createBench(6, { deviates: false });
    strict.lease();
    expect(strict.state.statistics.groupCount).toBe(0);
  });

  it('quarantines sizes that came before the trainer and never make up a batch', () => {
    const bench = createQueueBench();
    bench.push({ groupId: 'odd', sequenceCount: 3 }, { groupId: 'a' }, { groupId: 'b' });
    bench.registerTrainer(8);
    expect(groupsOf(bench.lease())).toEqual(['a', 'b']);
    expect(bench.changes.fates).toMatchObject([{ groupId: 'odd', fate: 'quarantined' }]);
    expect(bench.ledger()).toMatchObject({ quarantined: 1, leased: 2 });
  });

  it('quarantines what no longer fits when the last environment with a share has left', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.registerEnvironment({ groupSize: 8, minBatchAllocation: 0.5 });
    bench.push({ sequenceCount: 3 });
    bench.take((transaction) => {
      const [environment] = transaction.state.environments;
      if (environment !== undefined)
        setEnvironmentConnected(transaction, environment, { connected: false, reason: 'asked' });
    });
    expect(bench.handOut()).toEqual({ kind: 'empty' });
    expect(bench.ledger()).toMatchObject({ quarantined: 1, pending: 0 });
  });
});

describe('finishing', () => {
  it.each([
    ['trained', 'trained', 'batch-trained'],
    ['delivered', 'deliveredUnconfirmed', 'batch-delivered'],
  ] as const)('as %s ends its groups, its rows and counts the step', (fate, column, kind) => {
    const bench = createBench(2);
    const batch = bench.lease();
    expect(bench.take((transaction) => finishBatch(transaction, { ...batch, fate }))).toEqual({ kind: 'held' });
    expect(bench.ledger()).toMatchObject({ [column]: 2, leased: 0 });
    expect(bench.changes.readyDeletes).toEqual(new Set(['g0', 'g1']));
    expect(bench.changes.batchDeletes).toEqual(new Set([batch.batchId]));
    expect(bench.changes.batchHistory).toMatchObject([{ batchId: batch.batchId, fate, epoch: 1, step: 1 }]);
    expect(bench.changes.events).toMatchObject([{ kind, data: { groups: 2 } }]);
    expect(bench.state).toMatchObject({ readyGroups: 0, readyBytes: 0, record: { deliveredBatches: 1 } });
  });

  it('twice is stale', () => {
    const bench = createBench(2);
    const batch = bench.lease();
    bench.take((transaction) => finishBatch(transaction, { ...batch, fate: 'trained' }));
    expect(bench.take((transaction) => finishBatch(transaction, { ...batch, fate: 'trained' }))).toEqual({
      kind: 'stale',
    });
    expect(bench.ledger()).toMatchObject({ trained: 2 });
  });

  it('keeps the highest policy version that was reported', () => {
    const bench = createBench(4);
    const [first, second] = [bench.lease(), bench.lease()];
    bench.take((transaction) => finishBatch(transaction, { ...second, fate: 'trained', policyVersion: 5 }));
    bench.take((transaction) => finishBatch(transaction, { ...first, fate: 'trained', policyVersion: 4, step: 77 }));
    expect(bench.state.record.policyVersion).toBe(5);
    expect(bench.changes.batchHistory).toMatchObject([{ step: 77, policyVersion: 4 }]);
  });

  it('is refused to the holder of an earlier epoch', () => {
    const bench = createBench(2);
    const zombie = { ...bench.lease(100) };
    bench.now += 100;
    const holder = bench.lease();
    expect(holder.batchId).toBe(zombie.batchId);
    expect(bench.take((transaction) => finishBatch(transaction, { ...zombie, fate: 'trained' }))).toEqual({
      kind: 'stale',
    });
    expect(bench.take((transaction) => finishBatch(transaction, { ...holder, fate: 'trained' }))).toEqual({
      kind: 'held',
    });
  });

  it('is refused once the lease is over, also when nobody else asked', () => {
    const bench = createBench(2);
    const batch = { ...bench.lease(100) };
    bench.now += 100;
    expect(bench.take((transaction) => finishBatch(transaction, { ...batch, fate: 'trained' }))).toEqual({
      kind: 'stale',
    });
    expect(bench.ledger()).toMatchObject({ formed: 2, trained: 0 });
  });
});

describe('giving back', () => {
  it('returns a plain batch to its old place without counting a failure', () => {
    const bench = createBench(4);
    const first = bench.handOut('sending');
    if (first.kind !== 'batch') throw new Error('no batch');
    bench.take((transaction) => returnBatch(transaction, { ...first.batch, reason: 'reply-not-flushed' }));
    expect(bench.changes.events).toMatchObject([{ kind: 'batch-returned', data: { reason: 'reply-not-flushed' } }]);
    expect(bench.ledger()).toMatchObject({ formed: 4, leased: 0 });
    expect(bench.state.statistics.groupCount).toBe(4);
    const again = bench.lease();
    expect(groupsOf(again)).toEqual(['g0', 'g1']);
    expect(again.groups.map((group) => group.failures)).toEqual([0, 0]);
  });

  it('does not count returned batches in the statistics of strict runs', () => {
    const bench = createBench(2, { deviates: false });
    const batch = bench.lease();
    bench.take((transaction) => returnBatch(transaction, { ...batch, reason: 'x' }));
    expect(bench.state.statistics.groupCount).toBe(0);
  });

  it('is stale for a batch that is not held', () => {
    const bench = createBench(2);
    const batch = { ...bench.lease() };
    bench.take((transaction) => returnBatch(transaction, { ...batch, reason: 'x' }));
    expect(bench.take((transaction) => returnBatch(transaction, { ...batch, reason: 'x' }))).toEqual({ kind: 'stale' });
    expect(bench.take((transaction) => findHeldBatch(transaction, batch.batchId, batch.epoch))).toBeUndefined();
    expect(bench.take((transaction) => renewLease(transaction, { ...batch, leaseMs: 1 }))).toEqual({ kind: 'stale' });
  });
});

describe('leases', () => {
  it('end at their time and not before', () => {
    const bench = createBench(2);
    bench.lease(100);
    bench.now += 99;
    bench.take(expireLeases);
    expect(bench.ledger().leased).toBe(2);
    bench.now += 1;
    bench.take(expireLeases);
    expect(bench.ledger()).toMatchObject({ leased: 0, formed: 2 });
    expect(bench.state.batches[0]?.groups.map((group) => group.failures)).toEqual([1, 1]);
  });

  it('are held longer by renewing', () => {
    const bench = createBench(2);
    const batch = bench.lease(100);
    bench.now += 99;
    expect(bench.take((transaction) => renewLease(transaction, { ...batch, leaseMs: 100 }))).toEqual({ kind: 'held' });
    bench.now += 99;
    bench.take(expireLeases);
    expect(bench.ledger().leased).toBe(2);
  });

  it('of a plain reply that took too long come back without a failure', () => {
    const bench = createBench(2);
    bench.handOut('sending', 100);
    bench.now += 100;
    bench.take(expireLeases);
    expect(bench.state.batches[0]).toMatchObject({ state: 'formed', leaseExpiresAt: null, owner: '' });
    expect(bench.state.batches[0]?.groups.map((group) => group.failures)).toEqual([0, 0]);
  });

  it('of an earlier life of this server come back, those of others stay', () => {
    const bench = createBench(4);
    bench.handOut('sending');
    bench.lease();
    bench.take((transaction) => reclaimSending(transaction, (server) => server === 'somebody else'));
    expect(bench.ledger()).toMatchObject({ formed: 0, leased: 4 });
    bench.take((transaction) => reclaimSending(transaction, (server) => server === 'me'));
    expect(bench.ledger()).toMatchObject({ formed: 2, leased: 2 });
  });
});

describe('failures', () => {
  it('put a batch back until a group has failed five times', () => {
    const bench = createBench(2);
    for (let count = 1; count <= 4; count++) expect(fail(bench, bench.lease())).toEqual([]);
    expect(fail(bench, bench.lease())).toEqual(['g0', 'g1']);
    expect(bench.changes.fates).toMatchObject([
      { groupId: 'g0', fate: 'quarantined', reason: '5 failures, last: broken' },
      { groupId: 'g1', fate: 'quarantined' },
    ]);
    expect(bench.changes.batchHistory).toMatchObject([{ fate: 'quarantined' }]);
    expect(bench.ledger()).toMatchObject({ quarantined: 2, formed: 0, pending: 0 });
  });

  it('count against the named group alone; its healthy neighbour is queued again where it was', () => {
    const bench = createBench(2);
    for (let count = 1; count <= 4; count++) fail(bench, bench.lease(), ['g1']);
    bench.push({ groupId: 'later' });
    expect(fail(bench, bench.lease(), ['g1'])).toEqual(['g1']);
    expect(bench.changes.batchHistory).toMatchObject([{ fate: 'dissolved' }]);
    expect(bench.state.queue.map((group) => group.groupId)).toEqual(['g0', 'later']);
    expect(bench.state.statistics.groupCount).toBe(2);
    expect(groupsOf(bench.lease())).toEqual(['g0', 'later']);
    expect(bench.ledger()).toMatchObject({ quarantined: 1, leased: 2 });
  });

  it('include leases that ran out', () => {
    const bench = createBench(2);
    for (let count = 1; count <= 5; count++) {
      bench.lease(10);
      bench.now += 10;
    }
    bench.take(expireLeases);
    expect(bench.ledger()).toMatchObject({ quarantined: 2 });
    expect(bench.changes.fates[0]?.reason).toBe('5 failures, last: lease-expired');
  });

  it('of names that are not in the batch count against nobody', () => {
    const bench = createBench(2);
    for (let count = 1; count <= 6; count++) expect(fail(bench, bench.lease(), ['stranger'])).toEqual([]);
    expect(bench.ledger()).toMatchObject({ formed: 2, quarantined: 0 });
  });

  it('are written with the group, so that they survive a restart', () => {
    const bench = createBench(2);
    fail(bench, bench.lease());
    expect([...bench.changes.readyWrites.values()].map((group) => group.failures)).toEqual([1, 1]);
  });
});

describe('a batch that cannot be read', () => {
  it('loses the broken group to quarantine and keeps the healthy one', () => {
    const bench = createBench(2);
    const batch = bench.lease();
    bench.take((transaction) =>
      quarantineFromBatch(transaction, { ...batch, groupIds: ['g0'], reason: 'payload-unreadable' }),
    );
    expect(bench.state.queue.map((group) => group.groupId)).toEqual(['g1']);
    expect(bench.ledger()).toMatchObject({ quarantined: 1, pending: 1, leased: 0 });
  });

  it('is dropped whole where the original loses it', () => {
    const bench = createBench(2, { deviates: false });
    const batch = bench.lease();
    bench.take((transaction) => dropBatch(transaction, { ...batch, reason: 'not-finite' }));
    expect(bench.ledger()).toMatchObject({ dropped: { 'not-finite': 2 } });
    expect(bench.changes.batchHistory).toMatchObject([{ fate: 'dropped' }]);
  });

  it('changes nothing for one who no longer holds it', () => {
    const bench = createBench(2);
    const batch = { ...bench.lease(), epoch: 9 };
    bench.take((transaction) => {
      quarantineFromBatch(transaction, { ...batch, groupIds: ['g0'], reason: 'x' });
      dropBatch(transaction, { ...batch, reason: 'x' });
    });
    expect(bench.ledger()).toMatchObject({ leased: 2 });
  });
});
