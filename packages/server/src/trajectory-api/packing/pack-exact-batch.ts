import { findLargestGroup } from './find-largest-group.ts';
import type { PackableGroup, PackedBatch } from './packable-group.ts';

/**
 * Takes one batch of exactly `batchSize` sequences, or returns null.
 *
 * Groups of one size collect until together they equal the largest group of the whole queue; such a pack becomes a
 * candidate in the order of completion. Candidates are taken until the batch is full, and one that would overfill it
 * means no batch at all. The batch may end inside a pack.
 *
 * A batch size below one gives null: an empty batch could be formed for ever.
 */
export function packExactBatch<G extends PackableGroup>(queue: readonly G[], batchSize: number): PackedBatch<G> | null {
  if (batchSize < 1) return null;
  const taken = new Set<number>();
  let room = batchSize;
  for (const index of listPackedIndices(queue, findLargestGroup(queue))) {
    taken.add(index);
    room -= (queue[index] as G).sequenceCount;
    if (room <= 0) break;
  }
  if (room !== 0) return null;
  return {
    batch: Array.from(taken, (index) => queue[index] as G),
    rest: queue.filter((_, index) => !taken.has(index)),
  };
}

/** Positions of the groups in complete packs of `packSize` sequences, pack by pack as they complete. */
export function listPackedIndices(
  queue: readonly PackableGroup[],
  packSize: number,
  indices: Iterable<number> = queue.keys(),
): number[] {
  const incomplete = new Map<number, number[]>();
  const packed: number[] = [];
  for (const index of indices) {
    const size = (queue[index] as PackableGroup).sequenceCount;
    const pack = incomplete.get(size) ?? [];
    pack.push(index);
    if (pack.length * size === packSize) {
      for (const member of pack) packed.push(member);
      incomplete.delete(size);
    } else {
      incomplete.set(size, pack);
    }
  }
  return packed;
}
