import { chainEvent } from '@lachesis/store';
import type { QueueSnapshot } from '@lachesis/store';
import { describe, expect, it } from 'vitest';
import { MemoryDatabase } from '../memory-database.fixture.ts';
import { createQueueBench } from './queue-bench.fixture.ts';
import { restoreQueue, type QueueState } from './state.ts';

/** Every transaction of the bench is written, so that its rows can be read back. */
function createWrittenBench(rules: Parameters<typeof createQueueBench>[0] = {}) {
  const bench = createQueueBench(rules);
  const database = new MemoryDatabase();
  const take = bench.take;
  bench.take = (decide) => {
    const version = bench.state.version;
    const value = take(decide);
    if (bench.state.version !== version) database.commit({ ...bench.state, version }, bench.changes);
    return value;
  };
  const load = (): QueueSnapshot => {
    const snapshot = database.load({ tenantId: 't', runName: 'default' });
    if (snapshot === null) throw new Error('the run has no rows');
    return snapshot;
  };
  return { bench, load };
}

const essence = (state: QueueState) => ({
  queue: state.queue,
  batches: state.batches,
  buffers: [...state.buffers].filter(([, groups]) => groups.length > 0),
  environments: state.environments,
  record: state.record,
  readyGroups: state.readyGroups,
  readyBytes: state.readyBytes,
  waiting: [state.statistics.groupCount, state.statistics.sequenceCount, state.statistics.largestGroup],
});

describe.each([true, false])('a state restored from its rows (deviates: %s)', (deviates) => {
  it('equals the one that wrote them', () => {
    const { bench, load } = createWrittenBench({ deviates });
    bench.registerTrainer(8);
    const envId = bench.registerEnvironment({ groupSize: 4 });
    bench.push({}, {}, {}, {}, {});
    bench.push({ envId, sequenceCount: 2 });
    bench.lease();
    bench.handOut('sending');
    bench.push({ payloadBytes: 7 }, { envId, sequenceCount: 1 });
    expect(essence(restoreQueue(load(), { countsFormed: deviates }))).toEqual(essence(bench.state));
  });

  it('takes every receipt for lost, except those this process is answering', () => {
    const { bench, load } = createWrittenBench({ deviates });
    const [open, lost] = [bench.pushBody('a').receiptId, bench.pushBody('b').receiptId];
    const state = restoreQueue(load(), { countsFormed: deviates, isAnswering: ({ receiptId }) => receiptId === open });
    expect([...state.receipts.values()].map(({ receiptId, status }) => [receiptId, status])).toEqual([
      [open, 'open'],
      [lost, 'lost'],
    ]);
  });
});

it('refuses rows in which a batch names a group that is not there', () => {
  const { bench, load } = createWrittenBench();
  bench.registerTrainer(8);
  bench.push({}, {});
  bench.lease();
  const snapshot = load();
  expect(() => restoreQueue({ ...snapshot, groups: [] }, { countsFormed: true })).toThrow(/has no row/);
});

it('chains every event to the one before it', () => {
  const bench = createQueueBench();
  bench.registerTrainer(8);
  const [first] = bench.changes.events;
  bench.push({});
  const [second] = bench.changes.events;
  if (first === undefined || second === undefined) throw new Error('events are missing');
  expect([first.cursor, second.cursor]).toEqual([1, 2]);
  expect(first.previousHash).toBe('');
  expect(second.previousHash).toBe(first.hash);
  expect(second.hash).toBe(chainEvent(first.hash, { ...second, tenantId: 't', runId: 'run' }));
});
