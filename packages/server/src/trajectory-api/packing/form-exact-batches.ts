import { appendToLane, countGroupsPerPack, type GroupLane } from './group-lane.ts';
import type { PackableGroup } from './packable-group.ts';
import { SizeCounts } from './size-counts.ts';

/**
 * Queue positions of each batch `packExactBatch` would form if called until null. One pass sorts the queue into lanes;
 * after that a batch costs what it takes, because a completed pack is always the front of its lane.
 */
export function formExactBatches(queue: readonly PackableGroup[], batchSize: number): number[][] {
  const lanes = new Map<number, GroupLane>();
  const sizes = new SizeCounts();
  for (const [position, { sequenceCount }] of queue.entries()) {
    sizes.add(sequenceCount);
    appendToLane(lanes, sequenceCount, position);
  }

  const batches: number[][] = [];
  let packSize = -1;
  let packing: PackingLane[] = [];
  for (;;) {
    // Packs are measured against the largest group still queued, which shrinks when the last of that size leaves.
    if (sizes.largest !== packSize) {
      packSize = sizes.largest;
      packing = listPackingLanes(lanes, packSize);
    }
    // A failed attempt leaves heads moved; nothing reads them afterwards.
    const batch = takeExactBatch(packing, batchSize);
    if (batch === null) return batches;
    for (const position of batch) sizes.remove((queue[position] as PackableGroup).sequenceCount);
    batches.push(batch);
  }
}

interface PackingLane {
  readonly lane: GroupLane;
  readonly groupsPerPack: number;
}

function listPackingLanes(lanes: ReadonlyMap<number, GroupLane>, packSize: number): PackingLane[] {
  const packing: PackingLane[] = [];
  for (const lane of lanes.values()) {
    const groupsPerPack = countGroupsPerPack(lane, packSize);
    if (groupsPerPack > 0 && lane.head < lane.positions.length) packing.push({ lane, groupsPerPack });
  }
  return packing;
}

function takeExactBatch(packing: readonly PackingLane[], batchSize: number): number[] | null {
  const batch: number[] = [];
  let room = batchSize;
  while (room > 0) {
    const next = findEarliestPack(packing);
    if (next === undefined) return null;
    const { lane, groupsPerPack } = next;
    for (let count = 0; count < groupsPerPack && room > 0; count++) {
      batch.push(lane.positions[lane.head++] as number);
      room -= lane.size;
    }
  }
  return room === 0 ? batch : null;
}

/** The lane whose next pack is complete first in queue order. */
function findEarliestPack(packing: readonly PackingLane[]): PackingLane | undefined {
  let earliest: PackingLane | undefined;
  let completedAt = Infinity;
  for (const candidate of packing) {
    const last = candidate.lane.positions[candidate.lane.head + candidate.groupsPerPack - 1];
    if (last === undefined || last >= completedAt) continue;
    earliest = candidate;
    completedAt = last;
  }
  return earliest;
}
