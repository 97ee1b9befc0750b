import { describe, expect, it } from 'vitest';
import { isBalanced, readLedger } from './ledger.ts';
import { createQueueBench } from './queue-bench.fixture.ts';
import { resetRun } from './reset-run.ts';

describe('a reset', () => {
  it('archives the incarnation with a ledger that balances, and opens an empty one', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.registerEnvironment();
    bench.push({}, {}, {}, { sequenceCount: 3 });
    bench.lease();
    bench.pushBody('waiting for its receipt');
    const before = { ...bench.state };
    bench.take((transaction) => resetRun(transaction, 'reset'));

    const { opened } = bench.changes;
    expect(opened).toMatchObject({ ordinal: 1, closed: { incarnationId: 'first', reason: 'reset' } });
    expect(opened?.closed.state.counts).toMatchObject({ produced: 5, quarantined: 1, dropped: { reset: 4 } });
    const archived = {
      ...before,
      record: opened?.closed.state ?? before.record,
      queue: [],
      batches: [],
      buffers: new Map(),
    };
    expect(isBalanced(readLedger(archived))).toBe(true);

    expect(bench.ledger()).toMatchObject({ produced: 0, pending: 0, leased: 0 });
    expect(bench.state).toMatchObject({
      ordinal: 1,
      environments: [],
      queue: [],
      batches: [],
      readyGroups: 0,
      readyBytes: 0,
    });
    expect(bench.state.receipts.size).toBe(0);
    expect(bench.state.statistics.groupCount).toBe(0);
    expect(bench.state.record).toMatchObject({ registration: null, started: false });
  });

  it('carries on what the original keeps, and the chain of events', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    bench.push({ payloadDigest: 'last' });
    const { eventCursor } = bench.state.record;
    bench.take((transaction) => resetRun(transaction, 'reset'));
    expect(bench.state.record).toMatchObject({
      carried: { maxTokenLen: 64, checkpointDir: '/checkpoints', saveCheckpointInterval: 10 },
      latest: { payloadDigest: 'last', nonFinite: false },
      eventCursor: eventCursor + 1,
    });
    expect(bench.changes.events.at(-1)).toMatchObject({ kind: 'run-reset', data: { dropped: 1 } });
    expect(bench.state.record.eventHash).toBe(bench.changes.events.at(-1)?.hash);
  });

  it('of a run without rows does nothing', () => {
    const bench = createQueueBench();
    bench.take((transaction) => resetRun(transaction, 'reset'));
    expect(bench.changes.opened).toBeNull();
    expect(bench.state).toMatchObject({ incarnationId: 'first', version: 0 });
  });
});
