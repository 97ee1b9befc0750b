import { packExactBatch } from './pack-exact-batch.ts';
import type { PackableGroup } from './packable-group.ts';

/** Environments that together have a share of what is trained on. */
export interface WeightedLane {
  readonly key: string;
  /** Of all sequences, 0 to 1; the shares of all lanes make 1. */
  readonly share: number;
}

export interface FormWeightedOptions<G extends PackableGroup> {
  queue: readonly G[];
  batchSize: number;
  lanes: readonly WeightedLane[];
  /** The lane of a group; undefined for one whose sender has no share. */
  laneOf: (group: G) => string | undefined;
  /** Sequences of each lane that are in batches already. */
  packed: Readonly<Record<string, number>>;
}

/**
 * Forms every batch whose sequences follow the shares: the lane that is furthest behind its share gives its oldest group.
 * A lane that is behind and has nothing is waited for, so that the others do not run ahead of it.
 */
export function formWeightedBatches<G extends PackableGroup>(
  options: FormWeightedOptions<G>,
): { batches: G[][]; rest: G[]; packed: Record<string, number> } {
  const batches: G[][] = [];
  let { queue } = options;
  let packed: Record<string, number> = { ...options.packed };
  for (;;) {
    const batch = takeWeighted({ ...options, queue, packed });
    if (batch === undefined) return { batches, rest: [...queue], packed };
    const gone = new Set(batch);
    queue = queue.filter((group) => !gone.has(group));
    packed = count(packed, batch, options.laneOf);
    batches.push(batch);
  }
}

function takeWeighted<G extends PackableGroup>(options: FormWeightedOptions<G>): G[] | undefined {
  const { queue, batchSize, lanes, laneOf, packed } = options;
  if (batchSize < 1) return undefined;
  const waiting = new Map<string | undefined, G[]>();
  for (const group of queue) waiting.set(laneOf(group), [...(waiting.get(laneOf(group)) ?? []), group]);
  const states = lanes.map(({ key, share }) => ({
    ...{ share, packed: packed[key] ?? 0, given: 0, groups: waiting.get(key) ?? [], next: 0 },
  }));
  const batch: G[] = [];
  let room = batchSize;
  // What senders without a share have left behind goes first: there is no telling when it would come else.
  for (const group of waiting.get(undefined) ?? []) {
    if (group.sequenceCount < 1 || group.sequenceCount > room) continue;
    batch.push(group);
    room -= group.sequenceCount;
  }
  while (room > 0) {
    const behindFirst = states.toSorted((one, other) => one.packed / one.share - other.packed / other.share);
    let hasTaken = false;
    for (const lane of behindFirst) {
      const group = lane.groups[lane.next];
      if (group === undefined) {
        // Who has given its part of this batch is not waited for: it may not be allowed to send more before.
        if (lane.given < lane.share * batchSize) return undefined;
        continue;
      }
      if (group.sequenceCount > room) continue;
      batch.push(group);
      room -= group.sequenceCount;
      lane.next += 1;
      lane.given += group.sequenceCount;
      lane.packed += group.sequenceCount;
      hasTaken = true;
      break;
    }
    // Sizes that do not make up the batch in this order may in that of the queue.
    if (!hasTaken) return packExactBatch(queue, batchSize)?.batch;
  }
  return batch;
}

function count<G extends PackableGroup>(
  packed: Readonly<Record<string, number>>,
  batch: readonly G[],
  laneOf: (group: G) => string | undefined,
): Record<string, number> {
  const counted = { ...packed };
  for (const group of batch) {
    const key = laneOf(group);
    if (key !== undefined) counted[key] = (counted[key] ?? 0) + group.sequenceCount;
  }
  return counted;
}
