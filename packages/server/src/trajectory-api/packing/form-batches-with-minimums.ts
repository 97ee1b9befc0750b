import { hasPackedGroup, measurePacks, sortIntoLanes, type AllocatedLane } from './allocated-lane.ts';
import { fitMinimums } from './minimum-sequences.ts';
import type { PackableGroup } from './packable-group.ts';
import { PackedLanes } from './packed-lanes.ts';
import { SizeCounts } from './size-counts.ts';

/**
 * Queue positions of each batch `packBatchWithMinimums` would form if called until null with these minimums. The queue
 * is walked once; after that a batch costs one look at each environment with a minimum plus what it takes.
 */
export function formBatchesWithMinimums(
  queue: readonly PackableGroup[],
  batchSize: number,
  minimums: ReadonlyMap<number, number>,
): number[][] {
  const sizes = new SizeCounts();
  for (const { sequenceCount } of queue) sizes.add(sequenceCount);
  const lanesByEnvironment = sortIntoLanes(queue);
  const lanes = [...lanesByEnvironment.values()].flat();
  const reserving = new Map([...minimums].filter(([, sequences]) => sequences > 0));

  const batches: number[][] = [];
  let packSize = -1;
  let packedLanes = new PackedLanes([]);
  for (;;) {
    // Packs are measured against the largest group still queued, which shrinks when the last of that size leaves.
    if (sizes.largest !== packSize) {
      packSize = sizes.largest;
      for (const lane of lanes) measurePacks(lane, packSize);
      packedLanes = new PackedLanes(lanes);
    }
    // A failed attempt leaves heads moved; nothing reads them afterwards.
    const taken = takeBatch({ lanesByEnvironment, packedLanes, batchSize, minimums: reserving });
    if (taken === null) return batches;
    for (const lane of new Set(taken.lanes)) measurePacks(lane, packSize);
    for (const position of taken.positions) sizes.remove((queue[position] as PackableGroup).sequenceCount);
    batches.push(taken.positions);
  }
}

/** A batch in the making. */
interface Taken {
  room: number;
  readonly positions: number[];
  /** The lane each position came from. */
  readonly lanes: AllocatedLane[];
}

function takeBatch(options: {
  lanesByEnvironment: ReadonlyMap<number, readonly AllocatedLane[]>;
  packedLanes: PackedLanes;
  batchSize: number;
  minimums: ReadonlyMap<number, number>;
}): Taken | null {
  const { lanesByEnvironment, packedLanes, batchSize, minimums } = options;
  const lanesOf = (envId: number): readonly AllocatedLane[] => lanesByEnvironment.get(envId) ?? [];
  const fitted = fitMinimums({ batchSize, minimums, smallestPacked: (envId) => findSmallestPacked(lanesOf(envId)) });
  if (fitted === null) return null;

  const taken: Taken = { room: batchSize, positions: [], lanes: [] };
  for (const [envId, minimum] of fitted) takeMinimum(taken, lanesOf(envId), minimum);
  for (let lane = packedLanes.findEarliest(taken.room); lane; lane = packedLanes.findEarliest(taken.room)) {
    takeGroup(taken, lane);
  }
  return taken.room === 0 ? taken : null;
}

function findSmallestPacked(lanes: readonly AllocatedLane[]): number | undefined {
  let smallest: number | undefined;
  for (const lane of lanes) {
    if (hasPackedGroup(lane) && (smallest === undefined || lane.size < smallest)) smallest = lane.size;
  }
  return smallest;
}

/** Takes one environment's packed groups, pack by pack as they complete in the queue, until its minimum is met. */
function takeMinimum(taken: Taken, lanes: readonly AllocatedLane[], minimum: number): void {
  let missing = minimum;
  while (missing > 0) {
    const lane = findEarliestPack(lanes, taken.room);
    if (lane === undefined) return;
    const packEnd = lane.head + lane.groupsPerPack;
    // A pack is cut when the minimum is met, or when its size no longer fits and so is not looked at again.
    while (lane.head < packEnd && missing > 0 && lane.size <= taken.room) {
      takeGroup(taken, lane);
      missing -= lane.size;
    }
  }
}

function findEarliestPack(lanes: readonly AllocatedLane[], room: number): AllocatedLane | undefined {
  let earliest: AllocatedLane | undefined;
  let completedAt = Infinity;
  for (const lane of lanes) {
    if (!hasPackedGroup(lane) || lane.size > room) continue;
    const last = lane.positions[lane.head + lane.groupsPerPack - 1] as number;
    if (last >= completedAt) continue;
    earliest = lane;
    completedAt = last;
  }
  return earliest;
}

function takeGroup(taken: Taken, lane: AllocatedLane): void {
  taken.positions.push(lane.positions[lane.head] as number);
  taken.lanes.push(lane);
  taken.room -= lane.size;
  lane.head += 1;
}
