import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PackableGroup } from './packable-group.ts';
import { QueueStatistics } from './queue-statistics.ts';
import { summarizeEnvironments } from './summarize-environments.ts';

const anyGroup = fc.record({
  sequenceCount: fc.constantFrom(0, 1, 2, 3, 4, 8, 16),
  envId: fc.constantFrom(null, 0, 1, 2, 7),
});
const anySummary = fc.array(fc.constantFrom(null, 0, 0.1, 0.5, -0.5), { maxLength: 3 }).map((allocations) =>
  summarizeEnvironments({
    batchSize: 16,
    environments: allocations.map((minBatchAllocation, envId) => {
      return { envId, connected: true, minBatchAllocation, maxContextLength: 1, weight: 1, groupSize: 4 };
    }),
  }),
);

function readAll(statistics: QueueStatistics, summaries: Parameters<QueueStatistics['countAvailableFromOthers']>[1][]) {
  return {
    groups: statistics.groupCount,
    sequences: statistics.sequenceCount,
    largest: statistics.largestGroup,
    own: [null, 0, 1, 2, 7].map((envId) => [statistics.countSequencesOf(envId), statistics.findLargestGroupOf(envId)]),
    available: summaries.map((summary) => [0, 1, 2, 7].map((id) => statistics.countAvailableFromOthers(id, summary))),
  };
}

it('counts the same after any arrivals and departures as over the groups that remain', () => {
  const anyStep = fc.oneof(
    { weight: 3, arbitrary: anyGroup.map((group) => ({ group })) },
    { weight: 2, arbitrary: fc.nat().map((departs) => ({ departs })) },
  );
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), anySummary, anySummary, (steps, first, second) => {
      const statistics = new QueueStatistics();
      const queue: PackableGroup[] = [];
      for (const [index, step] of steps.entries()) {
        if ('group' in step) {
          queue.push(step.group);
          statistics.add(step.group);
        } else if (queue.length > 0) {
          for (const group of queue.splice(step.departs % queue.length, 1)) statistics.remove(group);
        }
        const fresh = new QueueStatistics();
        for (const group of queue) fresh.add(group);
        // One summary is kept for a while, as a caller does, so that what is remembered between reads is tested.
        const summaries = [index % 8 < 6 ? first : second];
        expect(readAll(statistics, summaries)).toEqual(readAll(fresh, summaries));
      }
    }),
    { numRuns: 1000 },
  );
});

it('refuses to remove what it never counted, and stays as it was', () => {
  const statistics = new QueueStatistics();
  statistics.add({ sequenceCount: 4, envId: 0 });
  expect(() => statistics.remove({ sequenceCount: 4, envId: 1 })).toThrow(RangeError);
  expect(() => statistics.remove({ sequenceCount: 2, envId: 0 })).toThrow(RangeError);
  expect([statistics.groupCount, statistics.sequenceCount, statistics.largestGroup]).toEqual([1, 4, 4]);
});
