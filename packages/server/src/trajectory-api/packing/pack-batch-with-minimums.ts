import { findLargestGroup } from './find-largest-group.ts';
import { fitMinimums, readMinimumSequences } from './minimum-sequences.ts';
import { listPackedIndices, packExactBatch } from './pack-exact-batch.ts';
import type { AllocationEnvironment, PackableGroup, PackedBatch } from './packable-group.ts';

/**
 * Takes one batch of exactly `batchSize` sequences that gives every connected environment its minimum, or returns null.
 *
 * Packs complete per environment, against the largest group of the whole queue. First each environment with a minimum
 * gives packed groups until it is met, then packed groups of any environment fill up in queue order; a group that
 * would overfill is passed over. Groups of no environment are never taken. Without a connected environment that has an
 * allocation this is `packExactBatch`.
 */
export function packBatchWithMinimums<G extends PackableGroup>(
  queue: readonly G[],
  batchSize: number,
  environments: readonly AllocationEnvironment[],
): PackedBatch<G> | null {
  const minimums = readMinimumSequences({ batchSize, environments });
  if (minimums.size === 0) return packExactBatch(queue, batchSize);
  if (batchSize < 1) return null;

  const packed = listPackedByEnvironment(queue);
  const sizeOf = (index: number): number => (queue[index] as G).sequenceCount;
  const fitted = fitMinimums({
    batchSize,
    minimums,
    smallestPacked: (envId) =>
      packed
        .get(envId)
        ?.reduce<number | undefined>((least, index) => Math.min(least ?? Infinity, sizeOf(index)), undefined),
  });
  if (fitted === null) return null;

  const taken = new Set<number>();
  let room = batchSize;
  const takeIfFits = (index: number): number => {
    const size = sizeOf(index);
    if (size > room) return 0;
    taken.add(index);
    room -= size;
    return size;
  };
  for (const [envId, minimum] of fitted) {
    let given = 0;
    for (const index of packed.get(envId) ?? []) {
      if (given >= minimum) break;
      given += takeIfFits(index);
    }
  }
  const inQueueOrder = [...packed.values()].flat().sort((a, b) => a - b);
  for (const index of inQueueOrder) {
    if (room === 0) break;
    if (!taken.has(index)) takeIfFits(index);
  }
  if (room !== 0) return null;
  return {
    batch: Array.from(taken, (index) => queue[index] as G),
    rest: queue.filter((_, index) => !taken.has(index)),
  };
}

function listPackedByEnvironment(queue: readonly PackableGroup[]): Map<number, number[]> {
  const indices = new Map<number, number[]>();
  for (const [index, { envId }] of queue.entries()) {
    if (envId === null) continue;
    const own = indices.get(envId);
    if (own === undefined) indices.set(envId, [index]);
    else own.push(index);
  }
  const packSize = findLargestGroup(queue);
  return new Map(Array.from(indices, ([envId, own]) => [envId, listPackedIndices(queue, packSize, own)]));
}
