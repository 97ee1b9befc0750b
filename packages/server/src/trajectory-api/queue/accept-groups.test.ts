import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmReceipt, environmentKeyOf, expireReceipts, loseReceipt } from './accept-groups.ts';
import { createQueueBench, makeGroup } from './queue-bench.fixture.ts';

describe('accepting a group', () => {
  it('queues it in order of arrival, and writes its history and its row', () => {
    const bench = createQueueBench();
    bench.push({ groupId: 'a' }, { groupId: 'b' });
    expect(bench.changes.groups.map(({ groupId, position }) => [groupId, position])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    bench.push({ groupId: 'c' });
    expect(bench.state.queue.map((group) => group.groupId)).toEqual(['a', 'b', 'c']);
    expect([...bench.changes.readyWrites.keys()]).toEqual(['c']);
    expect(bench.state).toMatchObject({ readyGroups: 3, readyBytes: 300 });
    expect(bench.ledger()).toMatchObject({ produced: 3, pending: 3 });
  });

  it('remembers the group queued last as the latest example', () => {
    const bench = createQueueBench();
    bench.push({ payloadDigest: 'one' }, { payloadDigest: 'two' });
    expect(bench.state.record.latest).toEqual({ payloadDigest: 'two', nonFinite: false });
  });

  it('notes the environment and the step at arrival', () => {
    const bench = createQueueBench();
    const envId = bench.registerEnvironment();
    bench.state.record.deliveredBatches = 7;
    bench.push({ envId });
    expect(bench.changes.groups[0]).toMatchObject({
      environmentId: bench.state.environments[0]?.environmentId,
      stepAtArrival: 7,
    });
  });

  it('counts batches formed as the step in strict runs', () => {
    const bench = createQueueBench({ deviates: false });
    bench.state.record.formedBatches = 3;
    bench.state.record.deliveredBatches = 2;
    bench.push({});
    expect(bench.changes.groups[0]?.stepAtArrival).toBe(3);
  });

  it.each(['failed', 'abstained'] as const)('keeps a %s rollout in the history only', (outcome) => {
    const bench = createQueueBench();
    const { accepted } = bench.push({ outcome });
    expect(accepted).toMatchObject([{ status: 'recorded', reason: `outcome-${outcome}` }]);
    expect(bench.changes.fates).toMatchObject([{ fate: 'dropped', reason: `outcome-${outcome}` }]);
    expect(bench.ledger()).toMatchObject({ produced: 1, pending: 0, dropped: { [`outcome-${outcome}`]: 1 } });
  });

  it('never queues the evaluation split', () => {
    const bench = createQueueBench();
    bench.push({ split: 'eval' });
    expect(bench.ledger()).toMatchObject({ pending: 0, dropped: { 'split-eval': 1 } });
  });

  it('writes the idempotency key in the same transaction', () => {
    const bench = createQueueBench();
    bench.pushBody('body', { idempotencyKey: 'key', receiptId: null });
    expect(bench.changes.idempotency).toEqual([
      { key: 'key', bodyDigest: 'body', reply: 'received', createdAt: bench.now },
    ]);
  });

  it('records an event that names group and payload', () => {
    const bench = createQueueBench();
    bench.push({ groupId: 'a', payloadDigest: 'd' });
    expect(bench.changes.events).toMatchObject([
      { kind: 'groups-accepted', cursor: 1, data: { groups: [['a', 'd']] } },
    ]);
  });

  it('takes an empty list without an event', () => {
    const bench = createQueueBench();
    expect(bench.push().accepted).toEqual([]);
    expect(bench.changes.events).toEqual([]);
  });
});

describe('a group whose rollouts are split into several sequences', () => {
  it('counts by its rollouts, and keeps its sequences in the history', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    const envId = bench.registerEnvironment({ groupSize: 4 });
    bench.push({ groupId: 'a', envId, sequenceCount: 13, rolloutCount: 4 });
    expect(bench.changes.groups[0]).toMatchObject({ sequenceCount: 13 });
    expect(bench.push({ groupId: 'b', envId, sequenceCount: 4, rolloutCount: 4 }).accepted).toMatchObject([
      { status: 'received' },
    ]);
    expect(bench.lease().groups.map(({ groupId, sequenceCount }) => [groupId, sequenceCount])).toEqual([
      ['a', 4],
      ['b', 4],
    ]);
    expect(bench.ledger()).toMatchObject({ quarantined: 0, leased: 2 });
  });

  it('waits in the buffer until rollouts add up to the group size', () => {
    const bench = createQueueBench();
    bench.registerTrainer(4);
    const envId = bench.registerEnvironment({ groupSize: 4 });
    const first = bench.push({ groupId: 'a', envId, sequenceCount: 9, rolloutCount: 2 });
    expect(first.accepted).toMatchObject([{ status: 'buffered', bufferSize: 2 }]);
    bench.push({ groupId: 'b', envId, sequenceCount: 3, rolloutCount: 2 });
    expect(bench.lease().groups.map(({ groupId }) => groupId)).toEqual(['a', 'b']);
  });

  it('forms batches of exactly so many rollouts, in the order of arrival', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(1, 2, 4, 8), fc.integer({ min: 1, max: 6 })), { maxLength: 40 }),
        (groups) => {
          const bench = createQueueBench();
          const plain = createQueueBench();
          for (const each of [bench, plain]) each.registerTrainer(8);
          for (const [index, [rolloutCount, rows]] of groups.entries()) {
            bench.push({ groupId: `${index}`, sequenceCount: rolloutCount * rows, rolloutCount });
            plain.push({ groupId: `${index}`, sequenceCount: rolloutCount });
          }
          // Rows apart, it is the queue of groups that were never split.
          for (;;) {
            const [left, right] = [bench.handOut(), plain.handOut()];
            expect(left.kind).toBe(right.kind);
            if (left.kind !== 'batch' || right.kind !== 'batch') return;
            expect(left.batch.groupIds).toEqual(right.batch.groupIds);
            expect(left.batch.groups.reduce((sum, { sequenceCount }) => sum + sequenceCount, 0)).toBe(8);
          }
        },
      ),
    );
  });
});

describe('quarantine on arrival', () => {
  it.each([
    ['not-finite: scores', { nonFiniteFields: ['scores'] }],
    ['not-finite: scores, advantages', { nonFiniteFields: ['scores', 'advantages'] }],
    ['empty: no sequences', { sequenceCount: 0 }],
    ['unfit-size: groups of 3 do not make up a batch of 8', { sequenceCount: 3 }],
    ['unfit-size: groups of 16 do not make up a batch of 8', { sequenceCount: 16 }],
    ['larger-than-group-size: 8 sequences where the environment registered 4', { sequenceCount: 8, envId: 0 }],
  ])('sets aside %s', (reason, group) => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.registerEnvironment({ groupSize: 4 });
    const { accepted } = bench.push(group);
    expect(accepted).toMatchObject([{ status: 'quarantined', reason }]);
    expect(bench.changes.fates).toMatchObject([{ fate: 'quarantined', reason }]);
    expect(bench.changes.events.map((event) => event.kind)).toEqual(['group-quarantined', 'groups-accepted']);
    expect(bench.state).toMatchObject({ readyGroups: 0, readyBytes: 0 });
    expect(bench.ledger()).toMatchObject({ quarantined: 1, pending: 0 });
  });

  it('sets aside a group with more rollouts than its environment registered, whatever its sequences', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.registerEnvironment({ groupSize: 4 });
    const reason = 'larger-than-group-size: 8 rollouts where the environment registered 4';
    const { accepted } = bench.push({ sequenceCount: 8, rolloutCount: 8, envId: 0 });
    expect(accepted).toMatchObject([{ status: 'quarantined', reason }]);
  });

  it('lets any size up to the batch in while an environment has a share', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.registerEnvironment({ groupSize: 8, minBatchAllocation: 0.5 });
    expect(bench.push({ sequenceCount: 3 }).accepted).toMatchObject([{ status: 'received' }]);
    expect(bench.push({ sequenceCount: 9 }).accepted).toMatchObject([{ status: 'quarantined' }]);
  });

  it('cannot judge a size before the trainer has registered', () => {
    const bench = createQueueBench();
    expect(bench.push({ sequenceCount: 3 }).accepted).toMatchObject([{ status: 'received' }]);
  });

  it('does not happen in strict runs', () => {
    const bench = createQueueBench({ deviates: false });
    bench.registerTrainer(8);
    expect(bench.push({ sequenceCount: 3, nonFiniteFields: ['scores'] }).accepted).toMatchObject([
      { status: 'received' },
    ]);
    expect(bench.state.queue[0]?.nonFinite).toBe(true);
  });
});

describe('a group of another size than its environment registered', () => {
  it('waits in the buffer until some add up to that size, and then joins the end of the queue', () => {
    const bench = createQueueBench();
    const envId = bench.registerEnvironment({ groupSize: 4 });
    expect(bench.push({ groupId: 'a', envId, sequenceCount: 2 }).accepted).toMatchObject([
      { status: 'buffered', bufferSize: 2 },
    ]);
    expect(bench.ledger()).toMatchObject({ buffered: 1, pending: 0 });
    bench.push({ groupId: 'between', envId });
    expect(bench.push({ groupId: 'b', envId, sequenceCount: 2 }).accepted).toMatchObject([
      { status: 'buffered', bufferSize: 0 },
    ]);
    expect(bench.state.queue.map((group) => group.groupId)).toEqual(['between', 'a', 'b']);
    const positions = bench.state.queue.map((group) => group.position);
    expect(positions).toEqual([...positions].sort((left, right) => left - right));
    expect(bench.ledger()).toMatchObject({ buffered: 0, pending: 3 });
  });

  it('keeps what does not fit waiting', () => {
    const bench = createQueueBench();
    const envId = bench.registerEnvironment({ groupSize: 4 });
    for (const sequenceCount of [3, 3, 1]) bench.push({ envId, sequenceCount });
    expect(bench.ledger()).toMatchObject({ buffered: 1, pending: 2 });
  });

  it('counts for /status-env only once it is queued', () => {
    const bench = createQueueBench();
    const envId = bench.registerEnvironment({ groupSize: 4 });
    bench.push({ envId, sequenceCount: 2 });
    expect(bench.state.statistics.groupCount).toBe(0);
    bench.push({ envId, sequenceCount: 2 });
    expect(bench.state.statistics.sequenceCount).toBe(4);
  });

  it('is queued at once when no such environment is registered', () => {
    const bench = createQueueBench();
    bench.registerEnvironment({ groupSize: 4 });
    expect(bench.push({ envId: 5, sequenceCount: 2 }).accepted).toMatchObject([{ status: 'received' }]);
  });

  it('belongs to the environment that a negative id counts back to', () => {
    const bench = createQueueBench();
    bench.registerEnvironment({ groupSize: 4 });
    expect(bench.push({ envId: -1, sequenceCount: 2 }).accepted).toMatchObject([{ status: 'buffered' }]);
  });
});

describe('receipts', () => {
  it('recognise the retry after a lost reply: stored once, answered the same', () => {
    const bench = createQueueBench();
    const first = bench.pushBody('same');
    bench.take((transaction) => loseReceipt(transaction, first.receiptId ?? ''));
    const retry = bench.pushBody('same');
    expect(retry).toMatchObject({ replayed: true, reply: first.reply, receiptId: first.receiptId, accepted: [] });
    expect(bench.ledger()).toMatchObject({ produced: 1 });
  });

  it('recognise the retry of a sender who hung up before its turn', () => {
    const bench = createQueueBench();
    const first = bench.pushBody('same', { hasHungUp: () => true });
    expect(bench.pushBody('same')).toMatchObject({ replayed: true, receiptId: first.receiptId });
    expect(bench.pushBody('same').replayed).toBe(false);
    expect(bench.ledger()).toMatchObject({ produced: 2 });
  });

  it('keep two acknowledged identical groups two', () => {
    const bench = createQueueBench();
    const first = bench.pushBody('same');
    bench.take((transaction) => confirmReceipt(transaction, first.receiptId ?? ''));
    expect(bench.changes.receiptDeletes).toEqual(new Set([first.receiptId]));
    expect(bench.pushBody('same').replayed).toBe(false);
    expect(bench.ledger()).toMatchObject({ produced: 2 });
  });

  it('take an equal body for another group while the first is being answered', () => {
    const bench = createQueueBench();
    bench.pushBody('same');
    expect(bench.pushBody('same').replayed).toBe(false);
    expect(bench.ledger()).toMatchObject({ produced: 2 });
  });

  it('recognise the retry again when its reply is lost too', () => {
    const bench = createQueueBench();
    const { receiptId } = bench.pushBody('same');
    for (let attempt = 0; attempt < 3; attempt++) {
      bench.take((transaction) => loseReceipt(transaction, receiptId ?? ''));
      expect(bench.pushBody('same').replayed).toBe(true);
    }
    expect(bench.ledger()).toMatchObject({ produced: 1 });
  });

  it.each([
    ['another body', 'other', {}],
    ['another environment', 'same', { groups: [makeGroup('x', { envId: 3 })] }],
  ])('do not recognise %s', (_, body, request) => {
    const bench = createQueueBench();
    const { receiptId } = bench.pushBody('same');
    bench.take((transaction) => loseReceipt(transaction, receiptId ?? ''));
    expect(bench.pushBody(body, request).replayed).toBe(false);
  });

  it('are recognised for ten minutes and forgotten after', () => {
    const bench = createQueueBench();
    const { receiptId } = bench.pushBody('same');
    bench.take((transaction) => loseReceipt(transaction, receiptId ?? ''));
    bench.now += 10 * 60_000;
    bench.take(expireReceipts);
    expect(bench.pushBody('same').replayed).toBe(true);
    bench.take((transaction) => loseReceipt(transaction, receiptId ?? ''));
    bench.now += 1;
    expect(bench.pushBody('same').replayed).toBe(false);
    bench.take(expireReceipts);
    expect(bench.changes.receiptDeletes).toContain(receiptId);
  });

  it('are neither kept nor looked for at the native API', () => {
    const bench = createQueueBench();
    bench.pushBody('same', { receiptId: null });
    expect(bench.state.receipts.size).toBe(0);
    expect(bench.pushBody('same', { receiptId: null }).replayed).toBe(false);
  });

  it('that are unknown are settled without a trace', () => {
    const bench = createQueueBench();
    bench.take((transaction) => {
      confirmReceipt(transaction, 'nobody');
      loseReceipt(transaction, 'nobody');
    });
    expect(bench.changes.receiptDeletes.size).toBe(0);
    expect(bench.state.version).toBe(0);
  });

  it('of a list belong to all its environments, in any order', () => {
    const one = [makeGroup('a', { envId: 2 }), makeGroup('b', { envId: 1 }), makeGroup('c', { envId: 2 })];
    expect(environmentKeyOf(one)).toBe(environmentKeyOf([...one].reverse()));
    expect(environmentKeyOf(one)).not.toBe(environmentKeyOf(one.slice(0, 1)));
  });
});
