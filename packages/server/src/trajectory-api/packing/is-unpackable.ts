export interface PackabilityOptions {
  /** Sequences in the group. */
  readonly sequenceCount: number;
  /** Sequences in a batch. */
  readonly batchSize: number;
  /** Whether the run packs with minimum allocations. Both packers refuse the same sizes, so it changes no answer. */
  readonly usesMinimums: boolean;
}

/**
 * Whether no queue exists in which a group of this size becomes part of a batch: an empty group completes no pack, and
 * one larger than the batch overfills it. Every other size packs in some company: 6 does not divide 8, yet 6, 2, 2, 2
 * gives the batch 6, 2. For sizes that depend on company see `fillsBatchAlone`.
 */
export function isUnpackable({ sequenceCount, batchSize }: PackabilityOptions): boolean {
  return sequenceCount < 1 || sequenceCount > batchSize;
}

/**
 * Whether enough groups of this one size make a batch. A size that does not is delivered only if smaller groups happen
 * to fill the gap; until then it can hold up every other group, as 5 does with 4, 4 in batches of 8.
 */
export function fillsBatchAlone({ sequenceCount, batchSize }: PackabilityOptions): boolean {
  return sequenceCount >= 1 && batchSize >= 1 && batchSize % sequenceCount === 0;
}
