/** What packing needs to know of a group; the caller's own group type carries the rest. */
export interface PackableGroup {
  /** Sequences in the group. A group is packed whole or not at all. */
  readonly sequenceCount: number;
  /** The environment that sent it, or null when the sender named none. */
  readonly envId: number | null;
}

/** What packing needs to know of an environment record. */
export interface AllocationEnvironment {
  readonly envId: number;
  readonly connected: boolean;
  /** Share of every batch reserved for this environment, 0 to 1; null reserves nothing. */
  readonly minBatchAllocation: number | null;
}

/** One batch taken from a queue, and the queue without it, both in the order the packing rule gives. */
export interface PackedBatch<G> {
  batch: G[];
  rest: G[];
}
