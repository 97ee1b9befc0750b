/**
 * Groups of one size, and with minimums of one environment, in queue order. Both packing rules only ever take from the
 * front of a lane, so forming batch after batch moves `head` and never rebuilds the queue.
 */
export interface GroupLane {
  readonly size: number;
  /** Queue positions, ascending. */
  readonly positions: number[];
  /** First entry of `positions` not yet in a batch. */
  head: number;
}

/** How many groups of this lane make a pack of `packSize` sequences; 0 when no number does. */
export function countGroupsPerPack(lane: GroupLane, packSize: number): number {
  return lane.size > 0 && packSize % lane.size === 0 ? packSize / lane.size : 0;
}

/** Adds a queue position to the lane for `size`, opening the lane if there is none. */
export function appendToLane(lanes: Map<number, GroupLane>, size: number, position: number): void {
  const lane = lanes.get(size);
  if (lane === undefined) lanes.set(size, { size, positions: [position], head: 0 });
  else lane.positions.push(position);
}
