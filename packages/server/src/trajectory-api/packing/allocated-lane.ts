import { appendToLane, countGroupsPerPack, type GroupLane } from './group-lane.ts';
import type { PackableGroup } from './packable-group.ts';

/** The lane of one environment and size. */
export interface AllocatedLane extends GroupLane {
  groupsPerPack: number;
  /**
   * End of the complete packs in `positions`. It is measured when a batch is begun and holds until that batch is done:
   * what remains of a pack that the batch cuts still counts as packed.
   */
  packedEnd: number;
}

/** The lanes of every environment in the queue. Groups of no environment have none, as minimums pass them over. */
export function sortIntoLanes(queue: readonly PackableGroup[]): Map<number, AllocatedLane[]> {
  const bySize = new Map<number, Map<number, GroupLane>>();
  for (const [position, { envId, sequenceCount }] of queue.entries()) {
    if (envId === null) continue;
    let lanes = bySize.get(envId);
    if (lanes === undefined) bySize.set(envId, (lanes = new Map()));
    appendToLane(lanes, sequenceCount, position);
  }
  const withoutPacks = (lane: GroupLane): AllocatedLane => ({ ...lane, groupsPerPack: 0, packedEnd: 0 });
  return new Map(Array.from(bySize, ([envId, lanes]) => [envId, Array.from(lanes.values(), withoutPacks)]));
}

/** Finds the complete packs of `packSize` sequences among the groups still in the lane. */
export function measurePacks(lane: AllocatedLane, packSize: number): void {
  lane.groupsPerPack = countGroupsPerPack(lane, packSize);
  const packs = lane.groupsPerPack > 0 ? Math.floor((lane.positions.length - lane.head) / lane.groupsPerPack) : 0;
  lane.packedEnd = lane.head + packs * lane.groupsPerPack;
}

export function hasPackedGroup(lane: AllocatedLane): boolean {
  return lane.head < lane.packedEnd;
}
