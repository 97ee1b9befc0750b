import { hasPackedGroup, type AllocatedLane } from './allocated-lane.ts';
import { EarliestFirstHeap } from './earliest-first-heap.ts';

/**
 * The lanes that have packed groups, found by queue position. One heap per size, so that sizes too large for what is
 * left of a batch are passed over without touching their lanes.
 *
 * Lanes may advance while they are in here: positions only grow, so an outdated entry comes up too early, never too
 * late, and is corrected then. A lane out of packed groups leaves for good, which is right as long as the pack size
 * stays: fewer groups than a pack remain in it.
 */
export class PackedLanes {
  readonly #heaps = new Map<number, EarliestFirstHeap<AllocatedLane>>();

  constructor(lanes: Iterable<AllocatedLane>) {
    for (const lane of lanes) {
      if (!hasPackedGroup(lane)) continue;
      let heap = this.#heaps.get(lane.size);
      if (heap === undefined) this.#heaps.set(lane.size, (heap = new EarliestFirstHeap()));
      heap.push({ position: lane.positions[lane.head] as number, value: lane });
    }
  }

  /** The lane with the earliest packed group of at most `room` sequences. */
  findEarliest(room: number): AllocatedLane | undefined {
    let earliest: AllocatedLane | undefined;
    let earliestPosition = Infinity;
    for (const [size, heap] of this.#heaps) {
      if (size > room) continue;
      const entry = findCurrentEntry(heap);
      if (entry === undefined || entry.position >= earliestPosition) continue;
      earliest = entry.value;
      earliestPosition = entry.position;
    }
    return earliest;
  }
}

function findCurrentEntry(heap: EarliestFirstHeap<AllocatedLane>) {
  for (let entry = heap.peek(); entry !== undefined; entry = heap.peek()) {
    const lane = entry.value;
    const position = lane.positions[lane.head];
    if (hasPackedGroup(lane) && position === entry.position) return entry;
    heap.pop();
    if (hasPackedGroup(lane) && position !== undefined) heap.push({ position, value: lane });
  }
  return undefined;
}
